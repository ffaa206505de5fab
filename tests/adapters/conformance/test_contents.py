"""What is said besides plain text, and what the app does with what was stored."""

import pytest

from streetai_core.prompt.turns import WORDLESS
from tests.adapters.wire.answers import Answer

PARAGRAPH = "The {0} boat lies in the {0} basin of the harbour, behind the {0} shed, where the crane never goes."
LONG = "\n\n".join(
    PARAGRAPH.format(name) + " " + PARAGRAPH.format(f"other {name}") + " Its keel is sound."
    for name in ("red", "blue", "green")
)


def test_an_image_passes_and_its_text_is_stored(bench):
    """The bytes are not; that there was one is."""
    bench.say("plain", [("image", "What is on this picture of my boat?")])
    (asked, _) = bench.registry.get("mara").messages()
    assert ("What is on this picture of my boat?", ["image"]) == (asked.content, asked.metadata["attachments"])


def test_an_image_alone_is_a_message(bench):
    """Nothing is recalled by it, and the window is sent."""
    bench.say("plain", [("user", "Look at this.")])
    bench.say("plain", [("image", "")])
    assert "Look at this." in bench.wire.last.texts
    assert [("user", "Look at this."), ("assistant", "Noted."), ("user", ""), ("assistant", "Noted.")] == bench.stored()
    assert bench.failures == []


def test_the_reply_to_an_image_alone_is_no_reply_to_what_was_said_before(bench):
    """What stands for the image is sent in its place, and stored nowhere."""
    bench.say("plain", [("user", "Look at this.")])
    bench.wire.answers.append(Answer("A red boat."))
    bench.say("plain", [("image", "")])
    bench.say("plain", [("user", "Which colour was it?")])
    assert ["Look at this.", "Noted.", WORDLESS, "A red boat.", "Which colour was it?"] == bench.wire.last.texts[-5:]
    assert not any(WORDLESS in text for _, text in bench.stored())


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_blank_message_is_stored_with_its_reply(bench, text):
    """Once, also if the first try fails."""
    if not (bench.row.name == "openai-chat" or (bench.row.name == "openai-responses" and text)):
        pytest.skip("this API takes no such message")
    asked = ("user", text)
    bench.wire.answers.append(Answer(status=500))
    with pytest.raises(Exception, match="500"):
        bench.say("plain", [asked])
    bench.say("plain", [asked])
    bench.say("plain", [("user", "Are you there?")])
    assert [asked, ("assistant", "Noted."), ("user", "Are you there?"), ("assistant", "Noted.")] == bench.stored()
    assert [WORDLESS, "Noted.", "Are you there?"] == bench.wire.last.texts[-3:]
    assert bench.failures == []


def test_recalled_text_stands_beside_an_image(bench):
    """As a part of its own, in front."""
    memory = bench.registry.get("mara")
    memory.add_message("My boat lies at berth thirty-one.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    bench.say("plain", [("image", "Where does my boat lie?")])
    assert "berth thirty-one" in bench.wire.last.texts[-1]
    assert bench.wire.last.texts[-1].endswith("Where does my boat lie?")


def test_a_structured_reply_is_stored_as_it_was_sent(bench):
    """Its text is the JSON."""
    if "structured" not in bench.row.styles:
        pytest.skip("this API, or this version of its SDK, parses no replies")
    bench.wire.answers.append(Answer(bench.row.structured_text()))
    heard = bench.say("structured", [("user", "Which colour has my boat?")])
    assert ("assistant", bench.row.structured_text()) == bench.stored()[-1]
    assert bench.turn(heard).assistant_message_id


def test_what_was_said_can_be_edited_and_deleted(bench):
    """A message and a reply of many chunks each, by the ids of the response's record; then nothing brings them back."""
    bench.wire.answers.append(Answer(LONG.replace("boat", "ship")))
    turn = bench.turn(bench.say("stream", [("user", LONG)]))
    memory = bench.client.memory
    assert len({one.parent_turn_id for one in memory.signals}) == 2
    assert len(memory.signals) > 4
    edited = memory.update_message(turn.user_message_id, LONG.replace("red", "yellow"))
    assert {turn.user_message_id} == {one.parent_turn_id for one in edited}
    assert not any("red" in one.content for one in memory.signals if one.role == "user")
    assert memory.delete_message(turn.assistant_message_id)
    assert [("user", LONG.replace("red", "yellow"))] == bench.stored()
    bench.say(
        "plain", [("user", LONG), ("assistant", LONG.replace("boat", "ship")), ("user", "Which is the yellow one?")]
    )
    assert [LONG.replace("red", "yellow"), "Which is the yellow one?", "Noted."] == [text for _, text in bench.stored()]
    assert memory.delete_message(turn.user_message_id)
    assert not any(one.parent_turn_id == turn.user_message_id for one in memory.signals)


def test_a_long_history_is_not_sent_again(bench):
    """What the memory has word for word is left out, but for the newest; what bears on the question is recalled."""
    items = [("system", "Be brief.")]
    sizes = []
    for number in range(30):
        fact = f"Entry {number}: on that day the harbour master {'wrote a long letter about dredging. ' * 4}"
        items.append(("user", f"My boat lies at berth thirty-one. {fact}" if number == 3 else fact))
        items.append(("assistant", bench.say("plain", items).text))
        sizes.append(sum(map(len, bench.wire.last.texts)))
    assert items[1:] == bench.stored()
    assert max(sizes[20:]) < 1.2 * max(sizes[8:15])
    items.append(("user", "Where does my boat lie?"))
    bench.say("plain", items)
    assert "berth thirty-one" in bench.wire.last.texts[-1]
    assert bench.failures == []
