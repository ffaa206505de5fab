"""The pages for users lead to each other, and the front page says what the others and the code say."""

import re
from itertools import chain

import pytest

from tests.readme_pages import FRONT, MEASURED, PAGES, ROOT, anchors, links, section, tables, text_of

try:
    import tomllib
except ImportError:  # Python 3.10, where pytest brings the same parser
    import tomli as tomllib


@pytest.mark.parametrize("page", [*PAGES, "ARCHITECTURE.md"])
def test_links_lead_somewhere(page):
    """Links to files of the repository, from the folder of the page, and to the headings on pages."""
    for path, anchor in links(page):
        assert path.exists(), path
        if anchor:
            assert anchor in anchors(path), f"{path}#{anchor}"


def test_all_pages_are_there():
    """A page that nobody has put on the list would be checked by nobody."""
    folders = ("streetai_*", "tests", "notebooks")
    found = [ROOT / FRONT, *chain.from_iterable(ROOT.glob(f"{folder}/**/README.md") for folder in folders)]
    assert sorted(PAGES) == sorted(path.relative_to(ROOT).as_posix() for path in found)


def test_the_front_page_leads_to_every_page_and_each_leads_back():
    """In its first paragraph, so that nobody is lost who comes from a search."""
    reached, waiting = set(), [ROOT / FRONT]
    while waiting:
        if (page := waiting.pop()) not in reached:
            reached.add(page)
            waiting += [path for path, _ in links(page) if path.name == "README.md"]
    assert {ROOT / page for page in PAGES} == reached
    for page in PAGES[1:]:
        heading, first = text_of(page).split("\n\n")[:2]
        assert heading.startswith("# ")
        assert re.search(r"\[front page\]\(((?:\.\./)+README\.md)\)\.$", first), page
        assert (ROOT / FRONT, "") in links(page)


def test_the_versions_on_the_front_page_are_those_that_are_required():
    """Who has an older one reads there that it does not fit."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    shown = re.findall(r"^\| [^|]+ \| `(\w+)` \| ([\w-]+) ([\d.]+) \|$", text_of(FRONT), re.MULTILINE)
    assert [] == [
        (extra, package, version)
        for extra, package, version in shown
        if not any(re.match(rf"{package}>={re.escape(version)}(,|$)", requirement) for requirement in extras[extra])
    ]
    assert len(shown) == 6


def test_the_figures_on_the_front_page_are_those_that_were_measured():
    """Row for row."""
    measured = tables(text_of(MEASURED))
    costs = section(FRONT, "## What it saves, and what it costs")
    (asking,) = [line for line in measured if line.startswith("| CPU of `retrieve`")]
    assert f"a question takes {asking.strip('| ').split(' | ')[1]} times the CPU" in costs
    shown = tables(section(FRONT, "## How well it finds") + costs)
    assert [] == [line for line in shown if line not in measured]
    assert len(shown) >= 30


def test_other_memories_find_no_more_in_the_other_conversations_but_five():
    """As the front page says, of the prompts of 500 and of 1,500 tokens."""
    compared, behind = 0, []
    rows = [line.strip("| ").split(" | ") for line in tables(section(MEASURED, "### Other kinds of talk"))]
    for row in rows:
        values = [tuple(map(float, re.findall(r"\d+\.\d", cell))) for cell in row[1:]]
        if row[0].startswith("StreetAI Memory"):
            ours = values
        elif row[0].startswith(("LangChain", "LlamaIndex")):
            pairs = [pair for own, other in zip(ours, values, strict=True) for pair in zip(own, other, strict=True)]
            behind += [(row[0].split()[0], round(other - own, 1)) for own, other in pairs if own < other]
            compared += len(values)
    mailbox = [("LlamaIndex", 0.2)]
    dictated = [("LangChain", 6.2), ("LlamaIndex", 6.2)]
    hurried = [("LlamaIndex", 1.9), ("LlamaIndex", 1.9), ("LangChain", 6.7)]
    family = [("LangChain", 2.2)]
    two_languages = [("LangChain", 2.2), ("LlamaIndex", 2.2)]
    assert sorted(behind) == sorted([*mailbox, *dictated, *hurried, *family, *two_languages])
    front = " ".join(section(FRONT, "## How well it finds").split())
    assert "In [thirty-nine conversations" in front
    assert "but for a mailbox, in which LlamaIndex's finds .2 more at 500, for two that are badly written" in front
    assert "both find 6.2 more of the one that was dictated at 1,500" in front
    assert "LlamaIndex's 1.9 more at both and LangChain's all at 1,500 of the one that was typed in a hurry" in front
    assert "LangChain's finds 2.2 more of a family's at 1,500, and both 2.2 more of one in two languages" in front
    assert compared == 2 * 39
