"""What ARCHITECTURE.md and the pages for users say in figures and names is what the code has."""

import re

import pytest

from streetai_core import Config
from streetai_core.dynamics import activation, credit
from streetai_core.prompt import packing
from streetai_core.recall import correcting, evidence, news
from streetai_core.recall.lending import LENT
from tests.readme_pages import CORE, ROOT, text_of

try:
    import tomllib
except ImportError:  # Python 3.10, where pytest brings the same parser
    import tomli as tomllib

ARCHITECTURE = text_of("ARCHITECTURE.md")

WEIGHTS = [
    1,
    evidence.OWN_WORDS,
    evidence.WORDS_AROUND,
    evidence.TOLD,
    evidence.WORDS_AROUND,
    -1,
    -evidence.AUTHOR,
    -evidence.AUTHOR,
    -evidence.OWN,
    evidence.DATE,
    evidence.WHEN,
    evidence.RECENT,
    -evidence.LONG,
    -evidence.SHORT,
    -evidence.ASKING,
    evidence.ANSWER,
    evidence.WISH,
    evidence.WHOLE,
    evidence.STRETCH,
    correcting.CORRECTION,
    news.NEWS,
    news.SPOKEN_OF,
    news.BESIDE,
    news.GOING_ON,
    Config().activation_share * activation.FRESH,
    Config().activation_share * activation.TAUGHT,
    Config().activation_share * activation.LEARNED,
]
"""Of the parts of a score, in the order of the table."""


def rows(text, heading):
    """The cells of the rows of the table below a heading."""
    table = text[text.index(heading) + len(heading) :].strip().split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[1:]]


def test_the_weights_are_those_of_the_code():
    """Who tunes recall reads them there."""
    table = rows(ARCHITECTURE, "| part | what it is | weight |")
    assert pytest.approx(WEIGHTS) == [float(cells[-1].strip("| ")) for cells in table]
    named = [cells[0].strip("`| ") for cells in table if "`" in cells[0]]
    assert ["meaning", *LENT, "activation", "learning"] == named
    lengths = [str(evidence.LONG_TOKENS), str(evidence.SHORT_TOKENS)]
    assert lengths == re.findall(r"each e-fold \w+ (\d+) tokens", ARCHITECTURE)


def test_the_formulas_are_those_of_the_code():
    """A formula that is no longer true explains nothing."""
    parts = (credit.NEW_WORDS, credit.ASKED_WORDS, credit.STANDING)
    assert f"({parts[0]:.0f} * new + asked + standing) / {sum(parts):.0f}" in ARCHITECTURE
    assert f"credit = {_short(credit.DOUBT)} + {_short(1 - credit.DOUBT)} *" in ARCHITECTURE
    assert f"the score less {_short(packing.LENGTH_PRICE)} for each e-fold" in ARCHITECTURE
    own, published = Config(), Config.classic()
    assert f"({own.min_chunk_chars} characters and {own.min_chunk_words} words at least" in ARCHITECTURE
    assert f"against {published.min_chunk_chars} and {published.min_chunk_words})" in ARCHITECTURE


def test_the_rooms_are_those_that_are_checked():
    """The picture of the layers is what import-linter enforces."""
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [[name.strip().removeprefix("streetai_core.") for name in one.split("|")] for one in contract["layers"]]
    picture = ARCHITECTURE[ARCHITECTURE.index("## Rooms") :].split("```")[1].strip().splitlines()
    shown = [re.split(r" {3,}", line)[0].split() for line in picture if not line.startswith("---")]
    assert layers == shown


@pytest.mark.parametrize("cells", rows(text_of(CORE), "| setting | default | |"), ids=lambda cells: cells[0])
def test_the_defaults_on_the_page_are_those_of_the_settings(cells):
    """Users set what they read there."""
    name, shown = (cell.strip("`| ") for cell in cells[:2])
    value = getattr(Config(), name)
    if name == "decay_rate":
        assert shown == "ln 2 / 50"
    elif isinstance(value, float):
        assert float(shown) == value
    else:
        assert shown == (f'"{value}"' if isinstance(value, str) else str(value))


def _short(number):
    """A number below one as prose has it: .15, and .10 for a tenth."""
    return f"{number:.2f}".lstrip("0")
