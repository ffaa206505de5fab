"""Replay a real conversation through a LangChain chain: `python -m tests.benchmarks.replay FILE NUMBER`.

FILE holds `{"conversations": [{"messages": [{"id", "session", "speaker", "role", "text"}], "qa": [{"q"}]}]}`. Each user
message goes through `ConversationChain` with our memory; a scripted model answers with the recorded reply. Then every
stored message is compared with the file, and a fresh process must recall the same hits with the same scores.
"""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from langchain_classic.chains import ConversationChain
from langchain_core._api import LangChainDeprecationWarning
from langchain_core.language_models import FakeListChatModel

from streetai_core import MemoryRegistry
from streetai_langchain import StreetAIChainMemory
from tests.benchmarks.recording import record

QUESTIONS = 30


def play(memory, messages):
    """The conversation through the chain; returns (tokens sent, tokens of the history) per turn."""
    turns = []
    position = 0
    while position < len(messages):
        one, after = messages[position], messages[position + 1 : position + 2]
        if one["role"] == "user" and after and after[0]["role"] == "assistant":
            view = StreetAIChainMemory(
                memory=memory,
                conversation_id=str(one["session"]),
                human_name=one["speaker"],
                ai_name=after[0]["speaker"],
                on_turn=lambda turn: turns.append(turn.prompt.inspector),
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LangChainDeprecationWarning)
                chain = ConversationChain(llm=FakeListChatModel(responses=[after[0]["text"]]), memory=view)
            chain.invoke({"input": one["text"]})
            position += 2
        else:
            memory.add_message(one["text"], one["role"], conversation_id=str(one["session"]), name=one["speaker"])
            position += 1
    return [(turn["tokens_sent"], turn["tokens_full_history"]) for turn in turns]


def recalled(path, questions):
    """Ids and scores for each question."""
    with MemoryRegistry(path) as registry:
        memory = registry.get("replayed")
        return [[[hit.signal.signal_id, hit.score] for hit in memory.retrieve(question)] for question in questions]


def main():
    """Play, compare, restart, compare."""
    if sys.argv[1] == "--recall":
        print(json.dumps(recalled(sys.argv[2], json.loads(sys.stdin.read()))))  # noqa: T201 - read by the parent
        return
    conversation = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["conversations"][int(sys.argv[2])]
    messages = [message for message in conversation["messages"] if message["text"].strip()]
    questions = [entry["q"] for entry in conversation["qa"][:QUESTIONS]]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "m.db")
        with MemoryRegistry(path) as registry:
            turns = play(registry.get("replayed"), messages)
            stored = [message.content for message in registry.get("replayed").messages()]
            stats = registry.get("replayed").stats()
        before = recalled(path, questions)
        again = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.replay", "--recall", path],
            input=json.dumps(questions),
            capture_output=True,
            text=True,
            check=True,
        )
    sent, full = (sum(column) for column in zip(*turns, strict=True))
    record(
        "replay",
        {
            "conversation": conversation["id"],
            "messages": len(messages),
            "chain_turns": len(turns),
            "byte_equal": stored == [message["text"] for message in messages],
            "same_hits_and_scores_after_restart": json.loads(again.stdout) == before,
            "hits_compared": sum(map(len, before)),
            "signals": stats["total_signals"],
            "stacks": stats["stacks"],
            "tokens_saved_percent": round(100 * (1 - sent / full), 1),
            "last_prompt_tokens": turns[-1][0],
            "last_history_tokens": turns[-1][1],
            "turns_above_history": sum(one > other for one, other in turns),
        },
        variant=conversation["id"],
    )


if __name__ == "__main__":
    main()
