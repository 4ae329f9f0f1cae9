from __future__ import annotations

import pytest

from stemmata.domain.chat.skills import (
    CUT_NOTE,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_TEXT,
    ActiveSkill,
    Skill,
    SkillLibrary,
    front_matter,
    library_of,
    matching_skills,
    skill_of,
    to_activate,
    with_skills,
)


def written(*lines: str, body: str = "Do it so.") -> str:
    return "\n".join(["---", *lines, "---", body])


def skill(name: str, description: str = "Use when it fits.", **facts: bool) -> Skill:
    return Skill(name=name, description=description, path=f"/s/{name}/SKILL.md", text="Do it so.", **facts)


# -- the file -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["description: plain words"], "plain words"),
        (["description:   spaced   words  "], "spaced words"),
        (["description: words # a comment"], "words"),
        (["description: Use when: a colon"], "Use when: a colon"),
        (["description: 'it''s quoted'"], "it's quoted"),
        (['description: "a \\"quoted\\" word\\nand a line"'], 'a "quoted" word and a line'),
        (["description: 'on two", "  lines'"], "on two lines"),
        (["description: 'never closed"], ""),
        (["description: >-", "  folded", "  words", "", "  more"], "folded words more"),
        (["description: |", "  literal", "license: MIT"], "literal"),
        (["description:", "  below its key"], "below its key"),
        (["description: begins here", "  and goes on"], "begins here and goes on"),
        (["description:", "  - a", "  - list"], ""),
        (["description:", "  a: mapping"], ""),
        (["description: [a, list]"], ""),
        (["description: &anchor text"], ""),
        (["DESCRIPTION: in capitals"], "in capitals"),
        (["description:no space"], ""),
        (["description:"], ""),
    ],
)
def test_fields_of_the_front_matter_are_read_as_one_line(lines: list[str], value: str) -> None:
    fields = front_matter(written(*lines))
    assert fields is not None
    assert fields.get("description", "") == value


@pytest.mark.parametrize("text", ["", "no front matter", "---\nname: a\nnever closed", " ---\nname: a\n---"])
def test_front_matter_needs_both_of_its_lines(text: str) -> None:
    assert front_matter(text) is None
    found, [problem] = skill_of(text, "/s/a/SKILL.md", "a")
    assert found is None
    assert (problem.path, "front matter" in problem.text) == ("/s/a/SKILL.md", True)


def test_a_skill_has_the_whole_file_as_its_text() -> None:
    text = written("name: bug-fix", "description: Use when fixing bugs", "license: MIT", "metadata:", "  author: me")
    found, problems = skill_of(text, "/s/bug-fix/SKILL.md", "bug-fix")
    assert found == Skill(
        name="bug-fix", description="Use when fixing bugs", path="/s/bug-fix/SKILL.md", text=text
    )  # fmt: skip
    assert problems == ()


def test_the_folder_names_a_skill_without_a_name() -> None:
    found, _ = skill_of(written("description: x"), "p", "my-folder")
    assert found is not None
    assert found.name == "my-folder"


@pytest.mark.parametrize("name", ["Bug", "bug fix", "-bug", "bug-", "bug--fix", "büg", "x" * (LONGEST_NAME + 1)])
def test_a_name_that_cannot_be_typed_is_a_problem(name: str) -> None:
    found, [problem] = skill_of(written(f"name: {name}", "description: x"), "p", "bug")
    assert found is None
    assert problem.text.startswith("The name “")


def test_a_skill_without_a_description_is_a_problem() -> None:
    found, [problem] = skill_of(written("name: bug"), "p", "bug")
    assert (found, problem.text) == (None, "The description is missing.")


def test_small_mistakes_are_told_and_the_skill_is_used() -> None:
    text = written("name: bug", f"description: {'d' * (LONGEST_DESCRIPTION + 1)}")
    found, problems = skill_of(text, "p", "other")
    assert found is not None
    assert len(found.description) == LONGEST_DESCRIPTION
    assert [problem.text for problem in problems] == [
        "The skill “bug” is used, although its folder is called “other”.",
        f"Only the first {LONGEST_DESCRIPTION:,} characters of the description are used.",
    ]


def test_a_long_skill_is_cut_and_says_so() -> None:
    found, _ = skill_of(written("description: x", body="word " * LONGEST_TEXT), "p", "long")
    assert found is not None
    assert len(found.text) == LONGEST_TEXT + len(CUT_NOTE)
    assert found.text.endswith(CUT_NOTE)


@pytest.mark.parametrize("key", ["disable-model-invocation", "disable_model_invocation"])
def test_a_skill_may_refuse_activation_by_a_prompt(key: str) -> None:
    for value, by_prompt in (("true", False), ("True", False), ("false", True)):
        found, _ = skill_of(written("description: x", f"{key}: {value}"), "p", "manual")
        assert found is not None
        assert found.by_prompt is by_prompt


def test_the_first_skill_of_a_name_is_used() -> None:
    first, second = skill("one"), Skill(name="one", description="x", path="/other/SKILL.md", text="t")
    library = library_of([first, skill("two"), second], [])
    assert [found.name for found in library.skills] == ["one", "two"]
    assert library.find("one") is first
    assert library.find("three") is None
    assert [(problem.path, problem.text) for problem in library.problems] == [
        ("/other/SKILL.md", "The name “one” is taken by /s/one/SKILL.md.")
    ]


# -- activation by a prompt, with librecode's own cases -------------------------------------------------------

GO_TESTS = skill("go-tests", "Use when writing Go tests or debugging flaky test failures")
HUD = skill("hud", "Show or configure the runtime HUD status display")


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("hello", []),
        ("", []),
        ("hud", ["hud"]),
        ("Where is the HUD?", ["hud"]),
        ("please write Go tests for this package", ["go-tests"]),
        ("the tests of Golang", ["go-tests"]),
        ("flaky failures", ["go-tests"]),
        ("a failure", []),
        ("runtime status display", []),  # the description of hud does not say when to use it
    ],
)
def test_a_prompt_activates_what_it_names_or_describes(prompt: str, names: list[str]) -> None:
    assert [found.name for found in matching_skills(prompt, [HUD, GO_TESTS])] == names


def test_common_words_of_a_description_activate_nothing() -> None:
    loud = skill("loud", "Use when the agent and any task")
    assert matching_skills("the agent and any task", [loud]) == ()


def test_the_best_match_comes_first() -> None:
    described = skill("alpha", "Use when counting apples and pears, whenever pears rot")
    in_a_row, scattered = skill("pear-tree"), skill("tree-pear")
    found = matching_skills("Count apples and pears of the pear tree", [described, scattered, in_a_row])
    assert [one.name for one in found] == ["pear-tree", "tree-pear", "alpha"]


def test_a_manual_skill_is_not_activated_by_a_prompt() -> None:
    assert matching_skills("manual", [skill("manual", by_prompt=False)]) == ()


def test_at_most_three_skills_are_active_by_prompts_and_none_comes_back() -> None:
    library = SkillLibrary(tuple(skill(name) for name in ("one", "two", "three", "four")))
    prompt = "one two three four"
    assert [one.name for one in to_activate(prompt, library, (), 0)] == ["one", "two", "three"]
    assert [one.name for one in to_activate(prompt, library, {"one", "two"}, 2)] == ["three"]
    assert to_activate(prompt, library, (), 3) == ()
    assert to_activate(prompt, library, (), 5) == ()


# -- the system prompt ----------------------------------------------------------------------------------------


def test_the_texts_follow_the_system_prompt_in_their_order() -> None:
    one = ActiveSkill(name="one", text="Use <a> & b.", path="/s/<one>/SKILL.md")
    two = ActiveSkill(name="two", text=f"Long.{CUT_NOTE}")
    assert with_skills("Be brief.\n", [one, two]) == (
        "Be brief.\n\n"
        "The following skills were activated for this session.\n"
        "Follow their instructions when relevant.\n"
        "\n"
        "<active_skills>\n"
        "  <skill>\n"
        "    <name>one</name>\n"
        "    <location>/s/&lt;one&gt;/SKILL.md</location>\n"
        "    <content>\n"
        "Use &lt;a&gt; &amp; b.\n"
        "    </content>\n"
        "  </skill>\n"
        "  <skill>\n"
        "    <name>two</name>\n"
        "    <truncated>true</truncated>\n"
        "    <content>\n"
        "Long.\n\n[skill content truncated]\n"
        "    </content>\n"
        "  </skill>\n"
        "</active_skills>"
    )


def test_without_a_skill_the_system_prompt_stays_as_it_is() -> None:
    assert with_skills(" as it is \n", []) == " as it is \n"
    assert with_skills(" ", [ActiveSkill(name="one", text="t")]).startswith("The following skills")


def test_a_further_skill_keeps_the_beginning_of_the_prompt() -> None:
    one, two = ActiveSkill(name="one", text="1"), ActiveSkill(name="two", text="2")
    before, after = with_skills("Hi", [one]), with_skills("Hi", [one, two])
    assert after.startswith(before.removesuffix("\n</active_skills>"))
