"use strict";
(() => {
  const root = document.documentElement, main = document.getElementById("transcript");
  const byId = id => document.getElementById(id);
  const entries = new Map(), children = new Map();
  for (const article of main.children) {
    const id = Number(article.id.slice(1)), up = Number(article.dataset.up);
    entries.set(id, { article, up });
    if (!children.has(up)) children.set(up, []);
    children.get(up).push(id);
  }
  const rows = Array.from(document.querySelectorAll("nav li"));
  root.classList.add("js");
  byId("tools").hidden = false;

  // -- one branch at a time: from the root to the newest entry below the chosen one
  const newest = id => { for (let below; (below = children.get(id)); ) id = Math.max(...below); return id; };
  let shown = new Set(), current = null;
  const show = (id, end) => {
    shown = new Set();
    for (let at = end; at >= 0 && entries.has(at) && !shown.has(at); at = entries.get(at).up) shown.add(at);
    for (const [one, { article }] of entries) article.classList.toggle("off", !shown.has(one));
    for (const row of rows) row.classList.toggle("off", !shown.has(Number(row.dataset.last)));
    mark(id);
  };
  const mark = id => {
    if (current) { current.classList.remove("current"); current.firstChild.removeAttribute("aria-current"); }
    current = rows[Number(entries.get(id).article.dataset.row)] || null;
    if (current) { current.classList.add("current"); current.firstChild.setAttribute("aria-current", "true"); }
    if (current) current.scrollIntoView({ block: "nearest" });
  };
  const go = id => {
    if (!entries.has(id)) return;
    if (shown.has(id)) mark(id); else show(id, newest(id));
    entries.get(id).article.scrollIntoView({ block: "start" });
  };
  const leaf = Number(main.dataset.leaf);
  const last = leaf >= 0 && entries.has(leaf) ? leaf : Math.max(-1, ...Array.from(entries.keys()).slice(-1));
  if (last >= 0) { show(last, last); main.scrollTop = main.scrollHeight; }
  const asked = () => { const found = /^#e(\d+)$/.exec(location.hash); if (found) go(Number(found[1])); };
  addEventListener("hashchange", asked);
  asked();

  // -- search in all branches
  const search = byId("search"), found = byId("found");
  let texts = null, hits = [], at = -1;
  const lit = "highlights" in CSS;
  const look = () => {
    const wanted = search.value.trim().toLowerCase();
    if (!texts) texts = Array.from(entries, ([id, { article }]) => [id, article.textContent.toLowerCase()]);
    hits = wanted ? texts.filter(([, text]) => text.includes(wanted)).map(([id]) => id) : [];
    at = -1;
    if (lit) CSS.highlights.clear();
    for (const { article } of entries.values()) article.classList.remove("hit");
    found.textContent = wanted ? `${hits.length} ${hits.length === 1 ? "entry" : "entries"}` : "";
  };
  const step = by => {
    if (!hits.length) return;
    if (at >= 0) entries.get(hits[at]).article.classList.remove("hit");
    at = (at + by + hits.length) % hits.length;
    const { article } = entries.get(hits[at]);
    go(hits[at]);
    article.classList.add("hit");
    found.textContent = `${at + 1} of ${hits.length}`;
    light(article, search.value.trim().toLowerCase());
  };
  const light = (article, wanted) => {
    const ranges = [], walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode()); ) {
      const text = node.data.toLowerCase();
      for (let start = text.indexOf(wanted); start >= 0 && ranges.length < 500; start = text.indexOf(wanted, start + wanted.length)) {
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, Math.min(start + wanted.length, node.length));
        ranges.push(range);
        for (let up = node.parentElement; up !== article; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
      }
    }
    if (lit) CSS.highlights.set("found", new Highlight(...ranges));
    if (ranges.length) {
      const place = ranges[0].getBoundingClientRect(), view = main.getBoundingClientRect();
      main.scrollBy(0, place.top - view.top - view.height / 3);
    }
  };
  let pause = 0;
  search.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(look, 120); });
  search.addEventListener("keydown", event => {
    if (event.key === "Enter") { clearTimeout(pause); if (at < 0) look(); step(event.shiftKey ? -1 : 1); event.preventDefault(); }
    if (event.key === "Escape") { search.value = ""; look(); search.blur(); }
  });
  byId("next").addEventListener("click", () => step(1));
  byId("back").addEventListener("click", () => step(-1));

  // -- folding, colours, keys
  const unfold = byId("unfold");
  unfold.addEventListener("click", () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    unfold.setAttribute("aria-pressed", String(open));
    unfold.textContent = open ? "Fold all" : "Unfold all";
    for (const one of main.querySelectorAll("details")) one.open = open;
  });
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  addEventListener("keydown", event => {
    if (event.target === search || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "/") { search.focus(); event.preventDefault(); }
    if (event.key === "n" || event.key === "N") step(event.key === "n" ? 1 : -1);
    if ((event.key === "j" || event.key === "k") && rows.length) {
      const on = rows.filter(row => !row.classList.contains("off"));
      const place = on.indexOf(current) + (event.key === "j" ? 1 : -1);
      if (on[place]) on[place].firstChild.click();
    }
  });
})();
