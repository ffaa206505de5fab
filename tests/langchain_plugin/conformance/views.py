"""How an application is given a memory: one driver for each way, and what each of them stores."""

import sys
from contextlib import nullcontext
from operator import itemgetter

from langchain.agents import create_agent
from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
from langchain_classic.chains import ConversationChain
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec, RunnableLambda, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.checkpoint.memory import InMemorySaver

from tests.langchain_plugin.agents import tide
from tests.langchain_plugin.conformance.styles import acut, cut

TEMPLATE = ChatPromptTemplate([("system", "Be brief."), MessagesPlaceholder("history"), ("human", "{input}")])

TASKS_HAVE_CONTEXT = sys.version_info >= (3, 11)
"""Before, LangGraph cannot give its callbacks to what an agent does on an event loop, so no token is streamed there."""

TRAFFIC = [("assistant", ""), ("tool", "the tide in Kiel is one metre")]
"""The call of a tool and its result, as they are stored."""


class View:
    """One way of giving an application a memory. What is written here holds unless a view says otherwise."""

    name: str
    users = ("mara", "anna")
    """Who talks to the application, each in a conversation of their own."""
    recalls = True
    """Whether the memory is asked for each message of a user."""
    learns = True
    on_the_loop = frozenset()
    """Names of columns in which LangChain itself calls the memory on the event loop."""
    cut_alike = True
    """Whether closing a stream on the event loop is the same as elsewhere."""
    stream_options: dict = {}  # noqa: RUF012 - read only

    def build(self, streetai, model, *, tools):
        """The application; with `tools`, one whose model may call them."""
        raise NotImplementedError

    def value(self, question):
        """The input with which a user's message is sent."""
        return {"input": question}

    def config(self, streetai, user):
        """The config of a user's run."""
        return {"configurable": {"user_id": user, "session_id": conversation(user), "thread_id": conversation(user)}}

    def around(self, streetai):
        """The block in which runs are made."""
        return nullcontext()

    def cuts(self, style):
        """Whether a stream has several pieces, so that it can be closed before its end."""
        return True

    def said(self, piece):
        """What the user reads in a piece of a stream, or in a whole output."""
        return piece.text

    def finished(self, question, reply, traffic):
        """What a turn stores that was answered."""
        return [("user", question), ("assistant", reply)]

    def broken(self, question, partial, style):
        """What a turn stores that was cut, or that the model has failed in before it said anything."""
        return []

    def late(self, question):
        """What the next turn stores of a broken one."""
        return []


def conversation(user):
    """The conversation of a user."""
    return f"new-{user}"


class Middleware(View):
    """`create_agent` with our middleware and a checkpointer."""

    name = "middleware"
    cut_alike = TASKS_HAVE_CONTEXT
    stream_options = {"stream_mode": "messages"}  # noqa: RUF012 - read only

    def build(self, streetai, model, *, tools):
        """The same agent in any case: whether it calls its tool is the model's choice."""
        return create_agent(model, [tide], middleware=[streetai.middleware()], checkpointer=InMemorySaver())

    def value(self, question):
        """Messages."""
        return {"messages": [HumanMessage(question)]}

    def cuts(self, style):
        """On the event loop of an old Python the whole reply is one piece."""
        return TASKS_HAVE_CONTEXT or style is not acut

    def said(self, piece):
        """Of the stream a chunk of the model's; of the state its last message."""
        if isinstance(piece, tuple):
            return piece[0].text if isinstance(piece[0], AIMessage) else ""
        return piece["messages"][-1].text

    def finished(self, question, reply, traffic):
        """An agent's state is kept whole, with its tool traffic."""
        return [("user", question), *traffic, ("assistant", reply)]

    def late(self, question):
        """The message is in the agent's state, and is picked up there."""
        return [("user", question)]


class Wrap(View):
    """`memory.wrap` round a chain; round an agent without a memory of its own where there are tools."""

    name = "wrap"

    def build(self, streetai, model, *, tools):
        """A chain with a place for the past, or an agent that takes messages."""
        if tools:
            to_state = RunnableLambda(lambda messages: {"messages": messages})
            return itemgetter("input") | streetai.wrap(to_state | create_agent(model, [tide]))
        return streetai.wrap(TEMPLATE | model, input_key="input", memory_key="history")

    def said(self, piece):
        """Of an agent the updates of its steps, or its state."""
        if not isinstance(piece, dict):
            return piece.text
        messages = piece.get("messages") or [one for step in piece.values() for one in step["messages"]]
        return messages[-1].text if isinstance(messages[-1], AIMessage) else ""

    def broken(self, question, partial, style):
        """The stream is ours, so nothing is lost."""
        return [("user", question), *([("assistant", partial)] if partial else [])]


class Handler(View):
    """A chain of the application's own with our retriever, learned from by a handler that each run is given."""

    name = "callback and retriever"

    def build(self, streetai, model, *, tools):
        """Documents and question, a prompt, the model."""
        template = ChatPromptTemplate([("human", "{documents}\n\n{input}")])
        found = itemgetter("input") | streetai.retriever(k=3) | RunnableLambda(_quoted)
        answer = _looping(model) if tools else model
        return RunnablePassthrough.assign(documents=found) | template | answer | StrOutputParser()

    def config(self, streetai, user):
        """With the handler."""
        return {**super().config(streetai, user), "callbacks": [streetai.callback_handler()]}

    def said(self, piece):
        """Text."""
        return piece

    def finished(self, question, reply, traffic):
        """Neither a retriever nor a handler stores messages."""
        return []


class Track(Handler):
    """The same, with the handler given by `track`."""

    name = "track and retriever"

    def config(self, streetai, user):
        """Without a handler."""
        return View.config(self, streetai, user)

    def around(self, streetai):
        """The block."""
        return streetai.track()


class Classic(View):
    """`memory=` of a classic chain; of an `AgentExecutor` where there are tools.

    A chain has one memory object, which is one conversation: one user. `ConversationChain` streams its output as one
    piece, after the whole turn: there is nothing to cut. `AgentExecutor.astream` calls the sync methods of any memory.
    """

    name = "classic memory="
    users = ("mara",)
    on_the_loop = frozenset({"astream, a tool loop"})

    def build(self, streetai, model, *, tools):
        """A conversation, or an agent of that time."""
        if not tools:
            return ConversationChain(llm=model, memory=streetai.classic(conversation("mara"), user_id="mara"))
        memory = streetai.classic(conversation("mara"), user_id="mara", return_messages=True)
        prompt = ChatPromptTemplate([*TEMPLATE.messages, MessagesPlaceholder("agent_scratchpad")])
        return AgentExecutor(agent=create_tool_calling_agent(model, [tide], prompt), tools=[tide], memory=memory)

    def cuts(self, style):
        """See above."""
        return False

    def said(self, piece):
        """The reply is the `response` of a conversation and the `output` of an agent; its steps say nothing."""
        return piece.get("response", piece.get("output", ""))


class History(View):
    """`RunnableWithMessageHistory` over our chat history, which is a transcript: it recalls and learns nothing.

    Of a stream that is closed early LangChain gives any history all but the last piece, and on the event loop nothing.
    """

    name = "chat history"
    recalls = False
    learns = False
    cut_alike = False

    def build(self, streetai, model, *, tools):
        """A prompt with a place for the history; user and session come with the run."""
        return RunnableWithMessageHistory(
            TEMPLATE | (_looping(model) if tools else model),
            lambda session_id, user_id: streetai.chat_history(session_id, user_id=user_id),
            input_messages_key="input",
            history_messages_key="history",
            history_factory_config=[
                ConfigurableFieldSpec(id=name, annotation=str) for name in ("session_id", "user_id")
            ],
        )

    def broken(self, question, partial, style):
        """What LangChain hands over."""
        if style is not cut:
            return []
        return [("user", question), ("assistant", partial.rpartition(" ")[0])]


VIEWS = [Middleware(), Wrap(), Handler(), Track(), Classic(), History()]
"""The rows of the matrix."""


def _quoted(documents):
    """Documents as our own views quote what they recall."""
    return "\n".join(f"> {document.page_content}" for document in documents)


def _looping(model):
    """A step that calls the model and its tools until it answers, as an application writes it."""
    bound = model.bind_tools([tide])

    def run(prompt, config):
        messages = prompt.to_messages()
        while (answer := bound.invoke(messages, config)).tool_calls:
            messages = [*messages, answer, *(tide.invoke(call, config) for call in answer.tool_calls)]
        return answer

    async def arun(prompt, config):
        messages = prompt.to_messages()
        while (answer := await bound.ainvoke(messages, config)).tool_calls:
            messages = [*messages, answer, *[await tide.ainvoke(call, config) for call in answer.tool_calls]]
        return answer

    return RunnableLambda(run, afunc=arun)
