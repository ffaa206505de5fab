"""`memory.wrap`: what may go in and come out, and what is refused."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import (
    CommaSeparatedListOutputParser,
    JsonOutputParser,
    JsonOutputToolsParser,
    PydanticToolsParser,
    StrOutputParser,
)
from langchain_core.prompt_values import StringPromptValue
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from pydantic import BaseModel

from streetai_core.errors import InputError
from streetai_core.prompt.turns import WORDLESS
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, chain_memory, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.ways import ainvoke, astream, invoke, stream
from tests.learning import learning_steps

SESSION = {"configurable": {"user_id": "mara", "session_id": "new"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]
IMAGE = {"type": "image", "url": "https://example.org/boat.png"}


def model(*replies):
    """A model with these replies; one, if there are none."""
    return ScriptedChatModel(reply=script(*(replies or (REPLY,))))


@pytest.mark.parametrize(
    "value",
    [
        QUESTION,
        HumanMessage(QUESTION),
        [HumanMessage(QUESTION)],
        [("human", QUESTION)],
        [{"role": "user", "content": QUESTION}],
        StringPromptValue(text=QUESTION),
        ChatPromptTemplate.from_messages([("human", "{q}")]).invoke({"q": QUESTION}),
        {"messages": [HumanMessage(QUESTION)]},
    ],
)
def test_forms_of_a_question(diary, streetai, value):
    """All that a chat model takes, and a dict with messages: the past goes before the question."""
    asked = model()
    chain = asked if not isinstance(value, dict) else RunnableLambda(lambda state: state["messages"]) | asked

    streetai.wrap(chain).invoke(value, SESSION)

    [message] = asked.prompts[0]
    assert FACT in message.text
    assert message.text.endswith(QUESTION)
    assert spoken(diary, "new") == SAID


def test_the_places_of_instructions_and_of_other_messages(diary, streetai):
    """System messages, window, what else there is, the question; and only the last of them is stored."""
    asked = model("Noted.", REPLY)
    chat = streetai.wrap(asked)
    chat.invoke("Ahoy!", SESSION)
    chat.invoke(
        [SystemMessage("Be brief."), HumanMessage("An example?"), AIMessage("Like so."), HumanMessage(QUESTION)],
        SESSION,
    )

    assert [message.text for message in asked.prompts[1][:-1]] == [
        "Be brief.", "Ahoy!", "Noted.", "An example?", "Like so.",
    ]  # fmt: skip
    assert spoken(diary, "new")[2:] == SAID


def test_a_question_with_an_image(diary, streetai):
    """The block becomes one more part of the content; the message is stored as it came."""
    asked = model(REPLY, "A boat.")
    question = HumanMessage([{"type": "text", "text": QUESTION}, IMAGE])
    chat = streetai.wrap(asked)
    chat.invoke([question], SESSION)
    chat.invoke([HumanMessage([IMAGE])], SESSION)

    lead, *rest = asked.prompts[0][0].content
    assert FACT in lead["text"]
    assert rest == question.content
    history = streetai.chat_history("new", user_id="mara").messages
    assert history[0] == question
    assert history[2] == HumanMessage([IMAGE])
    assert [message.type for message in asked.prompts[1]] == ["human", "ai", "human"]
    assert asked.prompts[1][2].content == [IMAGE]


@pytest.mark.parametrize("classic", [False, True])
def test_the_reply_to_an_image_alone_is_no_reply_to_what_was_said_before(diary, streetai, classic):
    """What stands for the image is in the window, in its place, and is stored nowhere."""
    asked = model("Good morning, Mara.", "A red boat.", REPLY)
    chat = streetai.wrap(asked)
    for content in ("Good morning!", [IMAGE]):
        chat.invoke([HumanMessage(content)], SESSION)
    window = [("human", "Good morning!"), ("ai", "Good morning, Mara."), ("human", WORDLESS), ("ai", "A red boat.")]

    if classic:
        found = chain_memory(diary, return_messages=True).load_memory_variables({"input": "zzz"})["history"]
        text = chain_memory(diary).load_memory_variables({"input": "zzz"})["history"]
        assert text.endswith(f"\nHuman: {WORDLESS}\nAI: A red boat.")
    else:
        chat.invoke("zzz", SESSION)
        *found, _ = asked.prompts[2]

    assert [(message.type, message.text) for message in found] == window
    assert not any(WORDLESS in text for _, text in spoken(diary, "new"))


@pytest.mark.parametrize(
    ("chain", "output_key"),
    [
        (RunnableLambda(lambda _: REPLY), None),
        (RunnableLambda(lambda _: AIMessage(REPLY)), None),
        (RunnableLambda(lambda _: {"anything": REPLY}), None),
        (RunnableLambda(lambda _: {"answer": REPLY, "source_documents": []}), None),
        (RunnableLambda(lambda _: {"mine": AIMessage(REPLY), "answer": "no"}), "mine"),
        (RunnableLambda(lambda _: {"messages": [HumanMessage(QUESTION), AIMessage("x"), AIMessage(REPLY)]}), None),
        (RunnablePassthrough.assign(output=lambda _: REPLY), "output"),
        (lambda _: REPLY, None),
    ],
)
def test_forms_of_a_reply(diary, streetai, chain, output_key):
    """Text, a message, a dict with one of these, the state of a graph; invoked and streamed."""
    chat = streetai.wrap(chain, memory_key="history", input_key="input", output_key=output_key)
    chat.invoke({"input": QUESTION}, SESSION)
    assert spoken(diary, "new") == SAID
    list(chat.stream({"input": QUESTION}, SESSION))

    assert spoken(diary, "new") == SAID * 2


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_a_chain_gives_back_nothing_of_what_it_was_given(diary, streetai, way):
    """6.4: a client that is streamed the input along, as by a retrieval chain, would read another session's words."""
    chat = streetai.wrap(RunnablePassthrough.assign(answer=lambda _: REPLY), memory_key="past", input_key="input")
    for _ in range(2):
        assert await way(chat, {"input": QUESTION}, SESSION) == {"input": QUESTION, "past": [], "answer": REPLY}

    assert spoken(diary, "new") == SAID * 2


def test_a_reply_that_calls_tools_is_no_final_reply(diary, streetai):
    """6.1, 6.8: It is stored, does not tick, teaches nothing, and is not shown to a chain without tools."""
    call = AIMessage("", tool_calls=[{"name": "sail", "args": {}, "id": "c1"}])
    asked = model(call, REPLY)
    before = diary.stats()["turn_counter"]
    chat = streetai.wrap(asked)
    chat.invoke(QUESTION, SESSION)

    assert diary.stats()["turn_counter"] == before + 1
    assert diary.messages(conversation_id="new")[-1].metadata["tool_calls"][0]["id"] == "c1"
    assert not learning_steps(diary)
    chat.invoke("And?", SESSION)
    assert [message.type for message in asked.prompts[1]] == ["human", "ai", "human"]
    assert not any(getattr(message, "tool_calls", None) for message in asked.prompts[1])


PIXEL = "iVBORw0KGgo="


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
@pytest.mark.parametrize(
    "made",
    [
        {"content": [{"type": "image", "base64": PIXEL, "mime_type": "image/png"}]},
        {"content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}]},
        {"content": "", "additional_kwargs": {"audio": {"id": "a", "data": PIXEL}}},
    ],
    ids=["image", "as OpenAI has it", "sound"],
)
async def test_what_a_model_makes_is_a_reply(diary, streetai, way, made):
    """Its question seemed unanswered, and was put with the next one; it comes back as it was."""
    asked = ScriptedChatModel(reply=lambda _: AIMessage(**made))
    chat = streetai.wrap(asked)
    for number in range(2):
        await way(chat, f"{QUESTION} ({number})", SESSION)

    assert spoken(diary, "new") == [
        (role, text) for n in "01" for role, text in (("user", f"{QUESTION} ({n})"), ("assistant", ""))
    ]
    assert [message.type for message in asked.prompts[-1]] == ["human", "ai", "human"]
    assert asked.prompts[-1][1].content == WORDLESS
    assert AIMessage(**made).content == streetai.chat_history("new", user_id="mara").messages[-1].content


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
@pytest.mark.parametrize("block", [True, False])
async def test_a_refusal_is_a_reply(diary, streetai, way, block):
    """OpenAI's models give it in place of a text; the question seemed unanswered, and was put with the next one."""
    content = [{"type": "refusal", "refusal": "I will not.", "index": 0}] if block else ""
    refused = AIMessage(content, additional_kwargs={} if block else {"refusal": "I will not."})
    asked = ScriptedChatModel(reply=lambda _: refused)

    await way(streetai.wrap(asked), QUESTION, SESSION)
    await way(streetai.wrap(asked), "Why?", SESSION)

    said = [("assistant", "I will not.")]
    assert spoken(diary, "new") == [("user", QUESTION), *said, ("user", "Why?"), *said]
    assert [one.text for one in asked.prompts[-1][:2]] == [QUESTION, "I will not."]


def test_an_empty_reply_is_not_stored(diary, streetai):
    """Nothing was said."""
    streetai.wrap(RunnableLambda(lambda _: "")).invoke(QUESTION, SESSION)

    assert spoken(diary, "new") == SAID[:1]


def test_budget_and_arguments_reach_the_chain(registry, diary, streetai):
    """A small budget leaves the past out; `stop` and the config arrive at the chain."""
    seen = []

    def chain(_, config, **arguments):
        seen.append((config["configurable"]["extra"], config["tags"], arguments))
        return REPLY

    config = {"configurable": {**SESSION["configurable"], "extra": 7}, "tags": ["mine"]}
    streetai.wrap(RunnableLambda(chain)).invoke(QUESTION, config, stop=["."])
    asked = model()
    streetai.wrap(asked, token_budget=20, session_id="s2", user_id="mara").invoke(QUESTION)

    assert seen == [(7, ["mine"], {"stop": ["."]})]
    assert asked.prompts == [[HumanMessage(QUESTION)]]


@pytest.mark.parametrize(
    ("options", "value", "words"),
    [
        ({}, {"input": QUESTION}, "set memory_key"),
        ({"memory_key": "h"}, QUESTION, "must be a dict"),
        ({"memory_key": "h"}, {"a": "1", "b": "2"}, "One input key expected"),
        ({"memory_key": "h"}, {}, "One input key expected"),
        ({"memory_key": "h", "input_key": "c"}, {"a": "1"}, "input_key 'c'"),
        ({"memory_key": "h"}, {"a": 7}, "must be text or messages"),
        ({}, [], "no user message"),
        ({}, [AIMessage("x")], "no user message"),
        ({}, AIMessage("x"), "no user message"),
        ({}, [7], "no message"),
        ({}, None, "must be text or messages"),
        ({}, HumanMessage.model_construct(content=None), "must be text or content blocks"),
        ({"memory_key": "h"}, {"a": None}, "must be text or messages"),
        ({"memory_key": "h"}, {"a": [None]}, "no message"),
        ({"memory_key": "h"}, {"a": [{"role": "user", "content": 5}]}, "no message"),
    ],
)
async def test_inputs_that_cannot_be_understood(diary, streetai, options, value, words):
    """6.7: They raise before the model is asked, in every way."""
    chat = streetai.wrap(model(), session_id="new", user_id="mara", **options)

    with pytest.raises(InputError, match=words):
        chat.invoke(value)
    with pytest.raises(InputError, match=words):
        await chat.ainvoke(value)
    with pytest.raises(InputError, match=words):
        list(chat.stream(value))
    with pytest.raises(InputError, match=words):
        [_ async for _ in chat.astream(value)]
    assert chat.chain.prompts == []
    assert spoken(diary, "new") == []


@pytest.mark.parametrize(("key", "words"), [(None, "Got multiple output keys"), ("c", "output_key 'c'")])
async def test_outputs_that_cannot_be_understood(diary, streetai, key, words):
    """A reply that is not found has to be known of; a stream that is cut only keeps what is certain."""
    chat = streetai.wrap(lambda _: {"a": 1, "b": 2}, output_key=key, session_id="new", user_id="mara")

    with pytest.raises(InputError, match=words):
        chat.invoke(QUESTION)
    with pytest.raises(InputError, match=words):
        await chat.ainvoke(QUESTION)
    with pytest.raises(InputError, match=words):
        list(chat.stream(QUESTION))
    pieces = chat.stream(QUESTION)
    next(pieces)
    pieces.close()
    streetai.registry.later.wait()
    assert spoken(diary, "new") == SAID[:1]


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
@pytest.mark.parametrize(
    ("text", "parser"),
    [
        ('["leek pie", "bean stew"]', JsonOutputParser()),
        ('["leek pie", "bean stew"]', JsonOutputParser().with_config(tags=["bound"])),
        ("leek pie, bean stew", CommaSeparatedListOutputParser()),
    ],
    ids=["whole so far", "bound", "one by one"],
)
async def test_a_list_is_stored_item_by_item(diary, streetai, way, text, parser):
    """Its words stay apart, and a stream says nothing twice, whether its pieces are new items or all items so far."""
    await way(streetai.wrap(model(text) | parser), QUESTION, SESSION)

    assert spoken(diary, "new") == [SAID[0], ("assistant", "leek pie\nbean stew")]


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_differences_are_stored_as_what_they_make(diary, streetai, way):
    """A stream of them says the same as the reply at once."""
    text = '{"first": "leek pie", "second": ["bean stew"]}'
    await way(streetai.wrap(model(text) | JsonOutputParser(diff=True)), QUESTION, SESSION)

    assert spoken(diary, "new") == [SAID[0], ("assistant", text)]


class Dish(BaseModel):
    """A structured answer."""

    name: str


class Unwritable:
    """What no JSON has a form for."""

    def __repr__(self):
        return "unwritable"


class Odd(BaseModel, arbitrary_types_allowed=True):
    """An answer with a field of the application's own."""

    what: Unwritable


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ('{"name": "crème", "spoons": 2}', '{"name": "crème", "spoons": 2}'),
        ('{"name": "leek pie"}', '{"name": "leek pie"}'),
        ('{"dishes": [{"name": "leek pie"}]}', '{"dishes": [{"name": "leek pie"}]}'),
        ('{"answer": "leek pie", "spoons": 2}', '{"answer": "leek pie", "spoons": 2}'),
        ('{"answer": null, "reason": "nobody said"}', '{"answer": null, "reason": "nobody said"}'),
        ('[{"name": "leek pie"}, {"name": "stew"}]', '{"name": "leek pie"}\n{"name": "stew"}'),
        ('[{"type": "pie", "of": "leek"}, "stew"]', '{"type": "pie", "of": "leek"}\nstew'),
        ("{}", "{}"),
        ("[]", "[]"),
    ],
    ids=["several keys", "one key", "a list in it", "a usual key", "null", "objects", "mixed", "empty", "empty list"],
)
async def test_what_a_parser_makes_of_the_reply_is_the_answer(diary, streetai, way, text, stored):
    """It has been paid for: all of it is kept, as JSON, whatever its keys are called."""
    parsed = model(text) | JsonOutputParser()
    await way(streetai.wrap(parsed.with_fallbacks([parsed])), QUESTION, SESSION)

    assert spoken(diary, "new") == [SAID[0], ("assistant", stored)]


async def test_a_structured_answer_that_is_a_dict_is_remembered(diary, streetai):
    """So has one with a JSON schema."""
    call = {"name": "dish", "args": {"name": "leek pie", "spoons": 2}, "id": "c1"}
    schema = {"title": "dish", "description": "A dish.", "type": "object", "properties": {"name": {"type": "string"}}}
    asked = ScriptedChatModel(reply=lambda _: AIMessage("", tool_calls=[call]))
    await invoke(streetai.wrap(asked.with_structured_output(schema)), QUESTION, SESSION)

    assert spoken(diary, "new")[1:] == [("assistant", '{"name": "leek pie", "spoons": 2}')]


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
@pytest.mark.parametrize("several", [False, True])
async def test_a_structured_answer_that_is_a_model_is_remembered_as_json(diary, streetai, way, several):
    """Turn after turn: it is found by what is in it, and a model is shown no Python."""
    call = {"name": "Dish", "args": {"name": "crème"}, "id": "c1"}
    asked = ScriptedChatModel(reply=lambda _: AIMessage("", tool_calls=[call, {**call, "id": "c2"}]))
    parser = PydanticToolsParser(tools=[Dish], first_tool_only=not several)
    chat = streetai.wrap(asked.bind_tools([Dish], tool_choice="Dish") | parser)
    for number in range(3):
        await way(chat, f"{QUESTION} ({number})", SESSION)

    text = "\n".join(['{"name": "crème"}'] * (2 if several else 1))
    assert [one for one in spoken(diary, "new") if one[0] == "assistant"] == [("assistant", text)] * 3
    assert [message.type for message in asked.prompts[-1]] == ["human", "ai", "human", "ai", "human"]
    assert not any(getattr(message, "tool_calls", None) for message in asked.prompts[-1])


async def test_calls_that_a_parser_takes_for_the_answer_are_remembered(diary, streetai):
    """If it fails, each has a "type" as blocks of content have, of which none has a text, and the answer is lost."""
    call = {"name": "Dish", "args": {"name": "leek pie"}, "id": "c1"}
    asked = ScriptedChatModel(reply=lambda _: AIMessage("", tool_calls=[call]))
    await invoke(streetai.wrap(asked | JsonOutputToolsParser()), QUESTION, SESSION)

    assert spoken(diary, "new")[1:] == [("assistant", '{"args": {"name": "leek pie"}, "type": "Dish"}')]


@pytest.mark.parametrize(
    ("answer", "stored"),
    [
        ({"dish": {"name": "leek pie"}}, '{"name": "leek pie"}'),
        (
            {"dishes": [Dish(name="leek pie"), {"of": Dish(name="stew")}]},
            '{"name": "leek pie"}\n{"of": {"name": "stew"}}',
        ),
        ([{"type": "text", "text": "leek "}, "pie"], "leek pie"),
        ([{("leek", "pie"): 2}], "{('leek', 'pie'): 2}"),
    ],
)
def test_a_structure_that_no_parser_made_is_no_python(diary, streetai, answer, stored):
    """A model reads JSON, and the words of blocks of content."""
    streetai.wrap(RunnableLambda(lambda _: answer)).invoke(QUESTION, SESSION)

    assert spoken(diary, "new")[1:] == [("assistant", stored)]


def test_a_structured_answer_without_a_form_in_json_is_remembered(diary, streetai):
    """As its text, then."""
    streetai.wrap(RunnableLambda(lambda _: Odd(what=Unwritable()))).invoke(QUESTION, SESSION)

    assert spoken(diary, "new")[1:] == [("assistant", "what=unwritable")]


async def test_a_structured_answer_beside_the_raw_one_is_remembered(diary, streetai):
    """A model gives it by a call that no tool answers; without it all questions would look unanswered."""
    call = {"name": "Dish", "args": {"name": "leek pie"}, "id": "c1"}
    asked = ScriptedChatModel(reply=lambda _: AIMessage("", tool_calls=[call]))
    chat = streetai.wrap(asked.with_structured_output(Dish, include_raw=True))
    for number, way in enumerate([invoke, ainvoke, stream, astream]):
        await way(chat, f"{QUESTION} ({number})", SESSION)

    assert [role for role, _ in spoken(diary, "new")] == ["user", "assistant"] * 4
    assert {text for role, text in spoken(diary, "new") if role == "assistant"} == {'{"name": "leek pie"}'}
    assert [message.type for message in asked.prompts[-1]][-3:] == ["human", "ai", "human"]


def test_it_needs_a_session(streetai):
    """6.3: Of the run or of its own."""
    with pytest.raises(InputError, match="configurable"):
        streetai.wrap(model()).invoke(QUESTION)
    with pytest.raises(InputError, match="session_id"):
        streetai.wrap(model(), session_id="")


def test_a_user_without_a_session_has_one_conversation(streetai):
    """It is the conversation without an id."""
    streetai.wrap(model() | StrOutputParser(), user_id="u").invoke(QUESTION)

    assert spoken(streetai.registry.get("u"), None) == SAID
