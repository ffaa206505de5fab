"""`memory.wrap` in a loop of one's own: the chain is called again with the question, its calls and their results."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from tests.langchain_plugin.agents import calls
from tests.langchain_plugin.conftest import QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt
from tests.langchain_plugin.ways import ainvoke, astream, invoke, stream
from tests.learning import learning_steps

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
LOOP = (calls("Kiel"), calls("Aarhus", "Skagen", text="And once more."), REPLY)
STORED = [
    ("user", QUESTION),
    ("assistant", ""),
    ("tool", "one metre"),
    ("assistant", "And once more."),
    ("tool", "one metre"),
    ("tool", "one metre"),
    ("assistant", REPLY),
]


def results(reply, *, ids):
    """What the tools say to the calls of a reply."""
    return [
        ToolMessage("one metre", tool_call_id=call["id"], id=f"result-{call['id']}" if ids else None)
        for call in reply.tool_calls
    ]


async def loop(chat, way, *, ids, asked=QUESTION):
    """Ask, and call tools until the model has answered. Without ids, as an app sends it that keeps plain JSON."""
    said = [HumanMessage(asked, id="question-1" if ids else None)]
    while True:
        reply = await way(chat, list(said), MARA)
        if not reply.tool_calls:
            return
        said.append(AIMessage(reply.text, tool_calls=reply.tool_calls, id=reply.id if ids else None))
        said += results(reply, ids=ids)


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream], ids=lambda way: way.__name__)
async def test_a_loop_is_one_turn(diary, streetai, way, ids):
    """6.1, 6.2: Else the question is stored once for each call of the model, and results away from their calls."""
    model = ScriptedChatModel(reply=script(*LOOP, "It was nothing."))
    turn = diary.stats()["turn_counter"]
    await loop(streetai.wrap(model), way, ids=ids)

    assert spoken(diary, "new") == STORED
    assert diary.stats()["turn_counter"] == turn + 2
    await way(streetai.wrap(model), "Thank you.", MARA)
    assert [text_of_prompt(prompt).count(QUESTION) for prompt in model.prompts] == [1] * 4


@pytest.mark.parametrize("way", [invoke, ainvoke], ids=lambda way: way.__name__)
async def test_a_loop_that_fails_goes_on(diary, streetai, way):
    """6.1, 6.4: The call that failed is made again with the same messages; what it has added is stored once."""
    model = ScriptedChatModel(reply=script(LOOP[0], ConnectionError("gone"), ConnectionError("gone"), REPLY))
    chat = streetai.wrap(model)
    first = await way(chat, [HumanMessage(QUESTION)], MARA)
    said = [HumanMessage(QUESTION), first, *results(first, ids=False)]
    for _ in range(2):
        with pytest.raises(ConnectionError):
            await way(chat, said, MARA)
        assert spoken(diary, "new") == STORED[:3]
    await way(chat, said, MARA)

    assert spoken(diary, "new") == [*STORED[:3], STORED[-1]]
    assert [text_of_prompt(prompt).count(QUESTION) for prompt in model.prompts] == [1] * 4


async def test_the_same_question_again_is_another_turn(diary, streetai):
    """6.1: A turn that has had its reply is not gone on with, however much the next one looks like it."""
    chat = streetai.wrap(ScriptedChatModel(reply=script(LOOP[0], REPLY, LOOP[0], REPLY)))
    for _ in range(2):
        await loop(chat, invoke, ids=False)

    assert spoken(diary, "new") == [*STORED[:3], STORED[-1]] * 2


async def test_a_loop_is_learned_from_once(diary, streetai):
    """6.1: By its last reply, for which the question counts although an earlier call has stored it."""
    await loop(streetai.wrap(ScriptedChatModel(reply=script(*LOOP))), invoke, ids=False)

    assert set(learning_steps(diary).values()) == {1}


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("question", ["And the second?", "And the third?"], ids=["made again", "edited"])
def test_an_app_that_goes_on_from_further_back(diary, streetai, ids, question):
    """6.1: What it sends along is its conversation still: no window beside it, with what it has taken back."""
    model = ScriptedChatModel(reply=script("It is red.", "It is blue.", "It is green."))
    chat = streetai.wrap(model)
    said = []
    for number, first in enumerate(("Which colour has the first?", "And the second?")):
        said.append(HumanMessage(first, id=f"q{number}" if ids else None))
        said.append(chat.invoke(said, MARA) if ids else AIMessage(chat.invoke(said, MARA).text))

    chat.invoke([*said[:2], HumanMessage(question)], MARA)

    assert [message.text for message in model.prompts[2][:-1]] == ["Which colour has the first?", "It is red."]
    assert model.prompts[2][-1].text.endswith(question)


def test_examples_beside_the_window(diary, streetai):
    """6.1: An answer that is no more than alike does not make them the conversation."""
    model = ScriptedChatModel(reply=script("Yes.", REPLY, REPLY))
    chat = streetai.wrap(model)
    examples = [HumanMessage("Is it deep?"), AIMessage("Yes.")]
    for question in ("Is it wide?", QUESTION, "And where does it lie?"):
        chat.invoke([*examples, HumanMessage(question)], MARA)

    assert [message.text for message in model.prompts[2][:-1]] == [
        "Is it wide?", "Yes.", QUESTION, REPLY, "Is it deep?", "Yes."
    ]  # fmt: skip
