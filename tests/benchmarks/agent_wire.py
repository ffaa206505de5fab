"""What an agent sends over the wire, turn by turn: `python -m tests.benchmarks.agent_wire FILE NUMBER`.

FILE is as for `tests.benchmarks.replay`. A whole conversation goes, as one thread, through two agents of
`create_agent`: ours has `memory.middleware(window=6)`, the other one resends its state. Both speak through
`langchain-openai` to a server on this machine that gives the recorded replies and counts what it receives; in every
tenth turn, from the first on, it calls a tool before. The tokens of a turn are those of its last request.
"""

import json
import sys
import tempfile
from pathlib import Path
from statistics import mean

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from streetai_core.tool_calls import is_tool_traffic
from streetai_langchain import StreetAIMemory
from tests.benchmarks.recording import record
from tests.benchmarks.wire import served, tool_call

WINDOW = 6
"""Messages of the state that our agent sends."""

EVERY = 10
"""Turns from one with a tool call to the next, and from one point of the curve to the next."""

TIDES = {"Kiel": "+0.2 m", "Husum": "+1.7 m"}
"""Metres above the chart's zero."""


@tool
def tide(harbour: str) -> str:
    """The water level of a harbour."""
    return f"{harbour}: {TIDES[harbour]}"


def turns_of(messages):
    """The turns of a conversation: (what was said since the last reply, the reply).

    A second reply in a row opens the turn that follows it.
    """
    turns, said = [], []
    for message in messages:
        replies = message["role"] == "assistant"
        if replies and said and said[-1].type == "human":
            turns.append((said, message["text"]))
            said = []
        else:
            said.append(AIMessage(message["text"]) if replies else HumanMessage(message["text"]))
    return turns


def play(wire, agent, turns, config):
    """The turns through an agent; returns the tokens of the requests of each."""
    tokens = []
    for number, (said, reply) in enumerate(turns, start=1):
        calls = [tool_call("tide", {"harbour": "Husum"}, number)] if number % EVERY == 1 else []
        wire.answers[:] = [*calls, {"content": reply}]
        wire.received.clear()
        state = agent.invoke({"messages": said}, config)
        if state["messages"][-1].text != reply or wire.answers:
            raise SystemExit(f"turn {number} went wrong: {state['messages'][-1].text!r}")
        tokens.append(list(wire.received))
    return tokens


def compared(sent, resent):
    """The figures: what our agent sent against what the other one did."""
    ours, whole = ([requests[-1] for requests in turns] for turns in (sent, resent))
    quarters = [round(mean(ours[n * len(ours) // 4 : (n + 1) * len(ours) // 4])) for n in range(4)]
    return {
        "turns": len(ours),
        "tool_turns": sum(len(requests) > 1 for requests in sent),
        "curve": [[number, ours[number - 1], whole[number - 1]] for number in range(EVERY, len(ours) + 1, EVERY)],
        "last_turn_ours": ours[-1],
        "last_turn_whole": whole[-1],
        "tokens_of_all_requests_ours": sum(map(sum, sent)),
        "tokens_of_all_requests_whole": sum(map(sum, resent)),
        "tokens_saved_percent": round(100 * (1 - sum(map(sum, sent)) / sum(map(sum, resent))), 1),
        "turns_above_whole": sum(one > other for one, other in zip(ours, whole, strict=True)),
        "mean_tokens_by_quarter_ours": quarters,
        "last_quarter_over_second": round(quarters[3] / quarters[1], 3),
    }


def main():
    """Play the conversation through both agents, compare."""
    try:
        from langchain_openai import ChatOpenAI  # noqa: PLC0415 - nothing else in the project needs the package
    except ModuleNotFoundError:
        raise SystemExit("langchain-openai is missing: pip install langchain-openai") from None
    conversation = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["conversations"][int(sys.argv[2])]
    messages = [message for message in conversation["messages"] if message["text"].strip()]
    turns = turns_of(messages)
    failures = []
    with (
        tempfile.TemporaryDirectory() as folder,
        served() as wire,
        StreetAIMemory(Path(folder) / "m.db", on_error=failures.append) as memory,
    ):
        model = ChatOpenAI(model="scripted", base_url=wire.url, api_key="none", max_retries=0)
        options = {"model": model, "tools": [tide], "checkpointer": InMemorySaver()}
        ours = create_agent(**options, middleware=[memory.middleware(window=WINDOW)])
        whole = create_agent(**options | {"checkpointer": InMemorySaver()})
        sent = play(wire, ours, turns, {"configurable": {"thread_id": "ours", "user_id": "replayed"}})
        resent = play(wire, whole, turns, {"configurable": {"thread_id": "whole"}})
        stored = memory.registry.get("replayed").messages()
    if failures:
        raise SystemExit(f"the memory failed {len(failures)} times, first with {failures[0]!r}")
    spoken = [one.content for one in stored if not is_tool_traffic(one)]
    played = sum(len(said) + 1 for said, _ in turns)
    record(
        "agent_wire",
        {
            "conversation": conversation["id"],
            "messages": played,
            "byte_equal": spoken == [message["text"] for message in messages[:played]],
            "tool_messages_stored": len(stored) - len(spoken),
            "window": WINDOW,
            **compared(sent, resent),
        },
        variant=conversation["id"],
    )


if __name__ == "__main__":
    main()
