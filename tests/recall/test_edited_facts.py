"""An edited message has to do with others what it would have to do with them, had it said so from the first."""

from dataclasses import replace

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import offline_available
from streetai_core.text.marks import news_about
from tests.knowledge.cases import of_kind, recalled, stands_above
from tests.outdated import words_in
from tests.recall.test_old_histories import CHANGED, LONG_AGO, NOW, OTHER, said, talk

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

BEFORE = "The kettle is on the second shelf."
LYON, NICE, GHENT = "I live in Lyon.", "I moved to Nice.", "I've moved to Ghent."


@pytest.fixture
def registry(tmp_path, real_encoder):
    """An empty database."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder) as opened:
        yield opened


def edit(memory, before, text):
    """Give the only message that says something another text."""
    (meant,) = [one.message_id for one in memory.messages() if one.content == before]
    memory.update_message(meant, text)


def told(memory, question):
    """What a question finds: place, and whether it is replaced, by text."""
    return {hit.signal.content: (place, hit.replaced) for place, hit in enumerate(memory.retrieve(question))}


@pytest.mark.parametrize("way", ["in order", "the same day", "at once", "the older one late"])
@pytest.mark.parametrize(("older", "newer", "question"), CHANGED)
def test_what_was_said_since_stands_for_what_is_edited(registry, older, newer, question, way):
    """Whichever came first, and also if nobody had said it before."""
    memory = registry.get("mara")
    old, new = talk(BEFORE, NOW if way == "the same day" else LONG_AGO, "old"), talk(newer, NOW)
    for some in {"at once": ([*old, *new],), "the older one late": (new, old)}.get(way, (old, new)):
        memory.add_messages(some)
    assert newer not in {text for text, (_, replaced) in told(memory, question).items() if replaced}
    edit(memory, BEFORE, older)
    found = told(memory, question)
    assert found[newer][0] < found[older][0]
    assert (found[newer][1], found[older][1]) == (False, True)


def test_an_edit_in_the_middle_is_linked_both_ways(registry):
    """It replaces what was said before it, and is replaced by what was said since."""
    memory = registry.get("mara")
    for number, text in enumerate((LYON, BEFORE, GHENT)):
        memory.add_messages(talk(text, LONG_AGO.replace(year=2023 + number), f"chat {number}"))
    edit(memory, BEFORE, NICE)
    found = told(memory, "Where do I live?")
    assert [found[text][1] for text in (LYON, NICE, GHENT)] == [True, True, False]
    assert min((LYON, NICE, GHENT), key=lambda text: found[text][0]) == GHENT
    assert [message.content for message in memory.revisions("chat 1-2")] == [LYON, NICE, GHENT]


def test_what_is_replaced_still_is_so_once(registry):
    """A link that is there already is not made again."""
    memory = registry.get("mara")
    memory.add_messages([*talk(LYON, LONG_AGO, "old"), *talk(NICE, NOW)])
    before = sorted(words_in(registry.store, "mara"))
    for text in ("I live in Lille.", "I live in Lens."):
        memory.update_message("old-2", text)
        rows = words_in(registry.store, "mara")
        assert sorted(rows) == before
        assert [row.replaces for row in rows.values() if row.replaces] == [(2,)]


def test_nothing_replaces_what_is_edited_to_say_nothing_of_it(registry):
    """What replaced the text of before does not stand for another one."""
    memory = registry.get("mara")
    memory.add_messages([*talk(LYON, LONG_AGO, "old"), *talk(NICE, NOW)])
    edit(memory, LYON, BEFORE)
    assert not any(row.replaces for row in words_in(registry.store, "mara").values())
    assert not any(replaced for _, replaced in told(memory, "Where do I live?").values())


def test_what_was_said_since_is_news_of_what_is_edited(registry):
    """By a mark, as in the order in which it was said; and another edit takes it away."""
    memory = registry.get("mara")
    memory.add_messages([said(BEFORE, LONG_AGO, 0), said("They've killed Lark. I'm on the scanner.", NOW, 1)])
    for text, marked in (("I'm working on Project Lark, the app.", True), (BEFORE, False)):
        memory.update_message("chat-0", text)
        assert (news_about(0) in words_in(registry.store, "mara")[1].terms) is marked


@pytest.mark.parametrize(("others", "marked"), [(5, True), (6, False)])
def test_the_text_before_an_edit_does_not_count_for_how_rare_a_word_is(registry, others, marked):
    """The word is as rare as if it had stood in the new text only."""
    memory = registry.get("mara")
    lark = [said(f"A lark sang on day {day} of the trip.", NOW, day, "birds") for day in range(others - 1)]
    memory.add_messages([said(f"{'Lark is a nice name.':.<160}", LONG_AGO, 0), *lark])
    memory.add_messages([said("They've killed Lark. I'm on the scanner.", NOW, 1)])
    memory.update_message("chat-0", "I'm working on Project Lark, the app.")
    assert (news_about(0) in words_in(registry.store, "mara")[others].terms) is marked


def test_nor_for_what_the_edited_message_itself_brings_news_of(registry):
    """Of five it may be; its own old text would be a sixth."""
    memory = registry.get("mara")
    memory.add_messages([said(f"Lark, day {day}.", LONG_AGO, day) for day in range(5)])
    memory.add_messages([said("Is there more of Lark?", NOW, 5)])
    memory.update_message("chat-5", "They've killed Lark. I'm on the scanner.")
    assert {*map(news_about, range(5))} <= {*words_in(registry.store, "mara")[5].terms.tolist()}


def test_nobody_outdoes_what_is_trusted_more_and_edited(registry):
    """As nobody does when it is written."""
    memory = registry.get("mara")
    memory.add_messages([said(BEFORE, LONG_AGO, 0), replace(said(NICE, NOW, 1), trust=0.6)])
    edit(memory, BEFORE, LYON)
    assert told(memory, "Where do I live?")[LYON][1] is False


def test_a_correction_that_follows_is_of_what_is_edited(registry):
    """What names nothing is of what was said just before it."""
    memory = registry.get("mara")
    memory.add_messages(
        [said(BEFORE, NOW, 0), said("Sorry, I meant 14.", NOW, 1), *(said(text, NOW, text) for text in OTHER)]
    )
    edit(memory, BEFORE, "The boat has 12 berths.")
    assert told(memory, "How many berths has the boat?")["The boat has 12 berths."][1] is True


def test_what_is_edited_in_quarantine_has_to_do_with_nothing(registry):
    """It is as good as deleted."""
    memory = registry.get("mara")
    memory.add_messages([replace(said(BEFORE, LONG_AGO, 0), writer="mallory"), said(NICE, NOW, 1)])
    memory.quarantine(writer="mallory")
    edit(memory, BEFORE, LYON)
    assert words_in(registry.store, "mara")[1].replaces == ()


def answered(memory, case, edited):
    """Whether the current value of a case is above the old ones, the first of which came by an edit if `edited`."""
    first = min(case["old"])
    memory.add_messages(
        NewMessage(
            content=BEFORE if edited and place == first else one["text"],
            role=one["role"],
            name=one["author"],
            message_id=str(place),
        )
        for place, one in enumerate(case["messages"])
    )
    if edited:
        memory.update_message(str(first), case["messages"][first]["text"])
    return stands_above(case, recalled(memory, case))


@pytest.mark.parametrize(("file", "kind"), [("changed_facts.jsonl", ""), ("changed_facts_as_typed.jsonl", "clear")])
def test_written_changes_are_found_of_what_is_edited(registry, file, kind):
    """What stands first where the old value was said at once does so where it came by an edit."""
    cases = [case for case in of_kind(file, kind)[::6] if case["old"]]
    registry.encoder.encode([one["text"] for case in cases for one in case["messages"]])
    wrong = [case for case in cases if not answered(registry.get(f"edited {case['id']}"), case, True)]
    assert len(cases) >= 30
    assert [case["id"] for case in wrong if answered(registry.get(f"said {case['id']}"), case, False)] == []
