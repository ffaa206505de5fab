"""The pages for users: the front page, and those beside what they describe, which it leads to."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent

FRONT, LANGCHAIN, LLAMAINDEX, CLIENTS, CORE, COMMANDS, MEASURED, VECTORS = PAGES = (
    "README.md",
    "streetai_langchain/README.md",
    "streetai_llamaindex/README.md",
    "streetai_core/adapters/README.md",
    "streetai_core/README.md",
    "streetai_core/cli/README.md",
    "tests/benchmarks/README.md",
    "tests/encoders/data/README.md",
)
"""Every `README.md` of the repository."""

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def text_of(page):
    """What stands on a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page, language=None):
    """The blocks of a page in order, as language and text; or the texts of those in one language."""
    found = BLOCK.findall(text_of(page))
    return found if language is None else [text for name, text in found if name == language]


def examples(page):
    """The Python blocks in order, each with the output printed below it, if any."""
    found = blocks(page)
    for number, (language, text) in enumerate(found):
        if language == "python":
            following = found[number + 1] if number + 1 < len(found) else ("end", "")
            yield text, following[1] if following[0] == "" else None


def links(page):
    """The links to other places in the repository, as file and anchor."""
    for target in LINK.findall(BLOCK.sub("", text_of(page))):
        path, _, anchor = target.partition("#")
        yield ((ROOT / page).parent / path).resolve() if path else ROOT / page, anchor


def anchors(page):
    """Where a link into a page may lead, as GitHub names it: the headings in small letters, without their stops."""
    headings = HEADING.findall(BLOCK.sub("", text_of(page)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def section(page, heading):
    """What stands below a heading, but for blocks, up to the next heading of its rank or a higher one."""
    _, rest = BLOCK.sub("", text_of(page)).split(f"\n{heading}\n", 1)
    return re.split(rf"^#{{1,{heading.count('#')}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def tables(text):
    """The rows of the tables in a text, without those that only draw a line."""
    return [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
