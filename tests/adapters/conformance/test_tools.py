"""A tool loop is one turn: one recall, one lesson, however many requests it takes."""

import pytest

from tests.adapters.wire.answers import Answer

STYLES = ["plain", "stream"]


def calls(number, several):
    """The calls of a step."""
    return [(f"call_{number}_{place}", "tide", {"harbour": name}) for place, name in enumerate(several)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("steps", [[["Kiel"]], [["Kiel", "Husum"]], [["Kiel"], ["Husum"]]], ids=["1", "2 at once", "2"])
def test_a_tool_loop_is_one_turn(bench, style, steps):
    """The app sends the question, the calls and the results again in each step."""
    memory = bench.registry.get("mara")
    memory.add_message("I sail from Kiel, where my boat lies.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    items = [("user", "Is there enough water for my boat in Kiel?")]
    turns, stored = [], list(items)
    for number, step in enumerate(steps):
        bench.wire.answers.append(Answer("", calls=tuple(calls(number, step))))
        turns.append(bench.turn(bench.say(style, items)))
        items.append(("call", "", calls(number, step)))
        items += [("result", f"{name}: 2 m", f"call_{number}_{place}") for place, name in enumerate(step)]
        stored += [("assistant", ""), *(("tool", f"{name}: 2 m") for name in step)]
    bench.wire.answers.append(Answer("Yes, your boat has two metres of water in Kiel."))
    turns.append(bench.turn(bench.say(style, items)))
    assert [*stored, ("assistant", "Yes, your boat has two metres of water in Kiel.")] == bench.stored(
        conversation_id=None
    )
    assert 1 == len({turn.turn_id for turn in turns})
    assert 1 == len({turn.user_message_id for turn in turns})
    recalled = [[text for text in one.texts if "I sail from Kiel" in text] for one in bench.wire.received]
    assert all(texts == recalled[0] and len(texts) == 1 for texts in recalled)
    assert [bool(turn.updates) for turn in turns] == [False] * len(steps) + [True]
    # Thirteen messages, the question, the reply; tools do not count.
    assert list(range(15)) == sorted({one.turn for one in memory.messages() if one.role != "tool" and one.content})
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
def test_another_process_can_go_on_with_a_tool_loop(bench, style):
    """What is known of the turn is in the store."""
    asked = ("user", "Is there enough water in Kiel?")
    bench.wire.answers += [Answer("", calls=tuple(calls(0, ["Kiel"]))), Answer("Yes, two metres.")]
    bench.say(style, [asked])
    other = bench.row.client(
        bench.wire.url, asynchronous=bench.driver.asynchronous, memory_id="mara", registry=bench.registry
    )
    items = [asked, ("call", "", calls(0, ["Kiel"])), ("result", "Kiel: 2 m", "call_0_0")]
    bench.row.say(bench.driver, other, style, items)
    bench.driver.close(other)
    assert [asked, ("assistant", ""), ("tool", "Kiel: 2 m"), ("assistant", "Yes, two metres.")] == bench.stored()


@pytest.mark.parametrize("style", STYLES)
def test_the_window_has_whole_tool_exchanges(bench, style):
    """The next question comes with the calls and the results, which the server finds valid."""
    asked = ("user", "Is there enough water in Kiel?")
    bench.wire.answers += [Answer("Wait.", calls=tuple(calls(0, ["Kiel", "Husum"]))), Answer("Yes, two metres.")]
    bench.say(style, [asked])
    results = [("result", "Kiel: 2 m", "call_0_0"), ("result", "Husum: 2 m", "call_0_1")]
    bench.say(style, [asked, ("call", "Wait.", calls(0, ["Kiel", "Husum"])), *results])
    bench.say(style, [("user", "And tomorrow?")])
    assert "Kiel: 2 m" in "\n".join(bench.wire.last.texts)
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
def test_results_that_come_with_a_new_question_are_stored(bench, style):
    """The app breaks a tool loop off with another message of the user's."""
    asked = ("user", "Is there enough water in Kiel?")
    bench.wire.answers.append(Answer("", calls=tuple(calls(0, ["Kiel"]))))
    bench.say(style, [asked])
    result = ("result", "Kiel: 2 m", "call_0_0")
    bench.say(style, [asked, ("call", "", calls(0, ["Kiel"])), result, ("user", "Never mind.")])
    assert [asked, ("assistant", ""), ("tool", "Kiel: 2 m"), ("user", "Never mind."), ("assistant", "Noted.")] == (
        bench.stored()
    )


@pytest.mark.parametrize("style", STYLES)
def test_a_reply_that_is_asked_for_again_teaches_nothing_more(bench, style):
    """The app sends the last request of a tool loop twice: one turn, one lesson."""
    memory = bench.registry.get("mara")
    memory.add_message("I sail from Kiel, where my boat lies.", role="user", conversation_id="long ago")
    for number in range(12):
        memory.add_message(f"Chapter {number} of the logbook was dull, as always.", "user", conversation_id="long ago")
    asked = ("user", "Is there enough water for my boat in Kiel?")
    bench.wire.answers += [Answer("", calls=tuple(calls(0, ["Kiel"]))), Answer("Yes, your boat has it in Kiel.")]
    bench.say(style, [asked])
    items = [asked, ("call", "", calls(0, ["Kiel"])), ("result", "Kiel: 2 m", "call_0_0")]
    turns = [bench.turn(bench.say(style, items)) for _ in range(2)]
    assert [True, False] == [bool(turn.updates) for turn in turns]
    assert [asked] == [one for one in bench.stored(conversation_id=None) if one[0] == "user"]
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("along", ["the whole turn", "twice"])
def test_every_result_is_stored_where_all_calls_have_one_id(bench, style, along):
    """Some servers call each call of a turn "0", and Gemini gives no ids: there the same call has the same one."""
    call = ("call", "", [("0", "tide", {"harbour": "Kiel"})])
    results = [("result", text, "0") for text in ("It is rising.", "It is rising.", "Two metres.")]
    items = [("user", "Tell me when there are two metres in Kiel.")]
    for result in results:
        bench.wire.answers.append(Answer("", calls=tuple(call[2])))
        bench.say(style, items)
        items += [call, result]
    bench.wire.answers.append(Answer("Now."))
    for _ in range(2 if along == "twice" else 1):
        bench.say(style, items)
    stored = bench.stored()
    told = [text for role, text in stored if role == "tool"]
    assert told == ["It is rising.", "It is rising.", "Two metres."]
    assert [role for role, _ in stored][:8] == ["user", *(["assistant", "tool"] * 3), "assistant"]
    assert bench.failures == []


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("tools", [False, True], ids=["", "after tools"])
def test_a_reply_that_the_model_is_to_go_on_with_is_stored_once(bench, style, tools):
    """The app sends the question and what came of the reply, as after one that was too long."""
    if bench.row.name == "gemini-chats":
        pytest.skip("what is sent to a chat is the user's")
    items = [("user", "Tell me of the tides.")]
    if tools:
        bench.wire.answers.append(Answer("", calls=tuple(calls(0, ["Kiel"]))))
        bench.say(style, items)
        items += [("call", "", calls(0, ["Kiel"])), ("result", "Kiel: 2 m", "call_0_0")]
    bench.wire.answers += [Answer("They come"), Answer("and go.")]
    bench.say(style, items)
    turn = bench.turn(bench.say(style, [*items, ("assistant", "They come")]))
    assert [one for one in bench.stored() if one[1]] == [
        ("user", "Tell me of the tides."),
        *([("tool", "Kiel: 2 m")] if tools else []),
        ("assistant", "They come"),
        ("assistant", "and go."),
    ]
    assert turn.user_message_id == bench.registry.get("mara").messages()[0].message_id
    assert ["Tell me of the tides.", "They come"] == [text for text in bench.wire.last.texts if "T" in text]
    assert bench.failures == []
