"""A reply without text ends its turn: a structured answer by a call, an image, a sound."""

import pytest

from streetai_core.prompt.turns import WORDLESS
from tests.adapters.wire.answers import Answer

STYLES = ["plain", "stream"]
ONLY_TIDE = ("must call", "tide")
VALUES = '{"harbour": "Kiel"}'


def calls(number):
    """What the model calls, which nothing follows on."""
    return (f"call_{number}", "tide", {"harbour": "Kiel"})


def fill(bench):
    """A memory with much else in it."""
    memory = bench.registry.get("mara")
    memory.add_message("My boat lies in the harbour of Kiel.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    return memory


@pytest.mark.parametrize("style", STYLES)
def test_a_structured_answer_is_a_reply(bench, style):
    """It is stored as its JSON, found, learned from, and sent as text: no provider takes a call without its result."""
    memory = fill(bench)
    before = memory.stats()["turn_counter"]
    learned = []
    for number in range(3):
        bench.wire.answers.append(Answer("", calls=(calls(number),)))
        turn = bench.turn(bench.say(style, [ONLY_TIDE, ("user", f"Where does my boat lie? ({number})")]))
        learned.append(bool(turn.updates))
        assert turn.assistant_message_id
    said = [
        one for number in range(3) for one in (("user", f"Where does my boat lie? ({number})"), ("assistant", VALUES))
    ]
    assert said == bench.stored(conversation_id=None)
    assert learned == [True] * 3
    assert memory.stats()["turn_counter"] == before + 6
    assert VALUES in [hit.signal.content for hit in memory.retrieve("Which harbour?")]
    texts = bench.wire.last.texts[-5:]
    assert [VALUES, VALUES] == texts[1::2]
    assert [f"({number})" in text and text.count("Where does") == 1 for number, text in enumerate(texts[::2])] == [
        True
    ] * 3
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
def test_a_call_that_nothing_follows_on_answers_its_question(bench, style):
    """The app broke the tool loop off: the question is not put again with the next one."""
    for number in range(2):
        bench.wire.answers.append(Answer("", calls=(calls(number),)))
        bench.say(style, [("user", f"Is there water? ({number})")])
    bench.say(style, [("user", "Never mind.")])
    assert ["Is there water? (0)", VALUES, "Is there water? (1)", VALUES, "Never mind."] == bench.wire.last.texts[-5:]
    assert ("assistant", "") in bench.stored()
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
def test_a_tool_that_had_to_be_called_may_have_a_result(bench, style):
    """Then the exchange is sent as it was, and the model has been learned from once."""
    memory = fill(bench)
    asked = ("user", "Is there water where my boat lies?")
    bench.wire.answers += [Answer("", calls=(calls(0),)), Answer("Your boat has two metres in Kiel.")]
    turns = [bench.turn(bench.say(style, [ONLY_TIDE, asked]))]
    items = [asked, ("call", "", [calls(0)]), ("result", "2 m", "call_0")]
    turns.append(bench.turn(bench.say(style, items)))
    assert [asked, ("assistant", VALUES), ("tool", "2 m"), ("assistant", "Your boat has two metres in Kiel.")] == (
        bench.stored(conversation_id=None)
    )
    assert [bool(turn.updates) for turn in turns] == [True, False]
    assert 1 == len({turn.turn_id for turn in turns})
    bench.say(style, [("user", "Thanks.")])
    assert 1 == "\n".join(bench.wire.last.texts).count(VALUES)
    assert memory.messages()[-1].content == "Noted."
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
def test_what_the_model_has_made_is_a_reply(bench, style):
    """An image or a sound is stored as its kind, and answers its question."""
    if bench.row.name.startswith("anthropic"):
        pytest.skip("its models say and call, and make nothing else")
    kind = "audio" if bench.row.name == "openai-chat" else "image"
    bench.wire.answers.append(Answer("", made=kind))
    assert bench.turn(bench.say(style, [("user", "Give me my boat.")])).assistant_message_id
    (_, made) = bench.registry.get("mara").messages()
    assert ("assistant", "", [kind]) == (made.role, made.content, made.metadata["attachments"])
    bench.say(style, [("user", "And in blue.")])
    assert ["Give me my boat.", WORDLESS, "And in blue."] == bench.wire.last.texts[-3:]
    assert bench.failures == []
