"""Other memories: those that are installed are measured, those that are not are named."""

import sys

import pytest

from streetai_core import Config
from streetai_core.errors import InputError
from streetai_core.evaluation.catalogue import EVERYTHING, OURS, select
from streetai_core.evaluation.rivals import RIVALS


@pytest.mark.parametrize("name", list(RIVALS))
def test_a_rival_finds_what_was_asked_for(harbour, encoder, name):
    """If it fails, our comparison puts another project in a bad light by our own mistake."""
    rival = RIVALS[name]
    if rival.why_missing is not None:
        pytest.skip(f"{name}: {rival.why_missing}")
    with rival.make(encoder).reading(harbour) as session:
        question = "How much was the mooring for the whole season?"
        answer = session.ask(question, [90, 3_000])
        assert answer == session.ask(question, [90, 3_000])
    assert answer.tokens[90] <= 90
    assert "7" in answer.ranked[:4]
    assert "four hundred and twenty euros" in answer.sent[3_000]
    assert set(answer.ranked) <= {message.message_id for message in harbour.messages}


def test_those_that_come_with_the_development_tools_are_installed():
    """If it fails, the tests above skip what they could have tested."""
    assert RIVALS["llamaindex"].why_missing is None
    assert RIVALS["langchain"].why_missing is None


def test_a_missing_rival_is_named_with_the_line_that_installs_it(encoder, monkeypatch):
    """If it fails, a comparison silently has no rivals in it."""
    for rival in RIVALS.values():
        # As Python spells that a module cannot be imported.
        monkeypatch.setitem(sys.modules, rival.module, None)
    selection = select([EVERYTHING], ["messages"], Config(), encoder)
    assert [f"{name}: not installed, {rival.pip}" for name, rival in RIVALS.items()] == list(selection.missing)
    assert all("pip install" in line for line in selection.missing)
    assert [*OURS, "last messages", "dense messages", "bm25 messages", "zsum messages"] == [
        system.description.name for system in selection.systems
    ]


def test_every_kind_of_unit_is_ranked_and_names_count_once(encoder):
    """If it fails, the best simple ranker may be the one that was left out."""
    names = [
        one.description.name
        for one in select(["zsum", "streetai", "zsum"], ["chunks", "messages"], Config(), encoder).systems
    ]
    assert ["zsum chunks", "zsum messages", "streetai"] == names


@pytest.mark.parametrize(("names", "units"), [(["zep"], ["messages"]), (["bm25"], ["paragraphs"])])
def test_unknown_names_are_refused_with_the_known_ones(encoder, names, units):
    """If it fails, a slip leaves a system out of the comparison."""
    with pytest.raises(InputError, match="known are"):
        select(names, units, Config(), encoder)
