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

  // -- search in all branches: hits are matches, in the order of the page
  const search = byId("search"), found = byId("found"), most = 20000, lit = "highlights" in CSS;
  let texts = null, wanted = "", hits = [], at = -1;
  const matches = text => {
    const out = [];
    for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + wanted.length)) out.push(start);
    return out;
  };
  const count = (number, one, several) => `${number} ${number === 1 ? one : several}`;
  const look = () => {
    wanted = search.value.toLowerCase();
    if (!wanted.trim()) wanted = "";
    if (!texts) texts = Array.from(entries, ([id, { article }]) => [id, article.textContent.toLowerCase()]);
    hits = [];
    let holders = 0;
    if (wanted) for (const [id, text] of texts) {
      const starts = hits.length < most ? matches(text) : [];
      holders += starts.length > 0;
      for (const start of starts) hits.push({ id, start });
    }
    at = -1;
    if (lit) CSS.highlights.clear();
    for (const { article } of entries.values()) article.classList.remove("hit");
    found.textContent = wanted ? `${count(hits.length, "match", "matches")}, ${count(holders, "entry", "entries")}` : "";
  };
  const step = by => {
    if (!hits.length) return;
    if (at >= 0) entries.get(hits[at].id).article.classList.remove("hit");
    const next = at < 0 ? first(by) : at + by;
    at = (next + hits.length) % hits.length;
    const { article } = entries.get(hits[at].id);
    go(hits[at].id);
    article.classList.add("hit");
    found.textContent = `${at + 1} of ${hits.length}`;
    light(article, hits[at].start);
  };
  // the first match in the entry at the top of the view or after it; back: the last one before it
  const first = by => {
    const edge = main.getBoundingClientRect().top, place = new Map(Array.from(entries.keys(), (id, order) => [id, order]));
    const top = Array.from(entries.values()).findIndex(({ article }) => article.getBoundingClientRect().bottom > edge);
    const from = hits.findIndex(({ id }) => place.get(id) >= top);
    return by > 0 ? Math.max(from, 0) : (from < 0 ? hits.length : from) - 1;
  };
  const light = (article, current) => {
    const nodes = [], walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node, start = 0; (node = walk.nextNode()); start += node.length) nodes.push({ node, start });
    const place = position => {
      let low = 0, high = nodes.length - 1;
      while (low < high) { const middle = (low + high + 1) >> 1; if (nodes[middle].start <= position) low = middle; else high = middle - 1; }
      return [nodes[low].node, Math.min(position - nodes[low].start, nodes[low].node.length)];
    };
    const range = start => {
      const out = new Range(), [node, offset] = place(start), [end, stop] = place(start + wanted.length - 1);
      out.setStart(node, offset);
      out.setEnd(end, Math.min(stop + 1, end.length));
      return out;
    };
    const here = range(current);
    for (let up = here.startContainer.parentElement; up !== article; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    if (lit) {
      CSS.highlights.set("found", new Highlight(...matches(article.textContent.toLowerCase()).slice(0, 2000).map(range)));
      const mark = new Highlight(here);
      mark.priority = 1;
      CSS.highlights.set("current", mark);
    }
    const box = here.getBoundingClientRect(), view = main.getBoundingClientRect();
    main.scrollBy(0, box.top - view.top - view.height / 3);
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
