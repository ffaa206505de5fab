"""What a LlamaIndex chat engine sends over the wire, turn by turn: `python -m tests.benchmarks.llamaindex_wire`.

`index.as_chat_engine(chat_mode="context")` over the public-domain texts of the tests, with the real encoder, speaks
through `llama-index-llms-openai-like` to a server on this machine that gives the scripted replies and counts what it
receives. In the first session three facts are told, among the bundled conversation and talk about the texts, turn
about, more than 200 messages, and two restarts, each a new process; then the facts are asked for. A second engine, with
the buffer of LlamaIndex and room for everything, has the same conversation without a restart and resends it.
"""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import pairwise, zip_longest
from pathlib import Path
from statistics import mean

import httpx
from llama_index.core import VectorStoreIndex
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.openai_like import OpenAILike

from streetai_core.encoders import default_encoder
from streetai_core.evaluation.conversations import sample_conversation
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.benchmarks.recording import record
from tests.benchmarks.wire import served, tokens_of
from tests.llamaindex_plugin.engines import DATA, EncoderEmbedding, paragraphs

SESSION = "user-42"
EVERY = 10
"""Turns from one point of the curve to the next."""

PROCESSES = 3
"""The first one and two restarts."""

PACKAGES = ("llama-index-core", "llama-index-llms-openai-like", "openai")

CONTEXT_WINDOW = 128_000
"""Tokens of the model, as those of usual chat models: the engine cuts nothing by itself."""

TOKEN_LIMIT = 3000
"""Of our memory, in the tokens of LlamaIndex's tokenizer: what `ChatMemoryBuffer` has if nothing else is said."""

FACTS = (
    (
        "The spare key of the boathouse lies under the blue flower pot behind the shed.",
        "Good to know: the blue flower pot behind the shed.",
        "Where is the spare key of the boathouse?",
        "blue flower pot",
    ),
    (
        "My grandmother Agnes was born in Tromso in 1931 and came south on a coal steamer.",
        "What a journey for your grandmother Agnes.",
        "In which town was my grandmother born?",
        "Tromso",
    ),
    (
        "My old moped takes 10W-40 oil, nothing else, or its clutch slips.",
        "10W-40 and nothing else for the moped, noted.",
        "Which oil do I have to buy for my moped?",
        "10W-40",
    ),
)
"""Told by the user, replied to, asked for at the end, and the words that the prompt must have then."""


APART = 2
"""Turns between two of them."""


@dataclass
class Log:
    """What the server received, by turn."""

    requests: list = field(default_factory=list)
    """The messages of each request."""

    @property
    def tokens(self):
        """Of each request."""
        return [tokens_of(messages) for messages in self.requests]


def conversation():
    """The turns between telling and asking: (what the user said, the reply)."""
    messages = sample_conversation().messages
    talk = [(one.content, other.content) for one, other in zip(messages[::2], messages[1::2], strict=True)]
    return [turn for pair in zip_longest(talk, readings()) for turn in pair if turn is not None]


def readings():
    """Talk about the texts of the index: the user gives a sentence, the reply is the one after it or before it."""
    turns = []
    for path in sorted(DATA.glob("*.txt")):
        title = path.stem.replace("_", " ")
        said = re.split(r"(?<=[.?;])\s+", path.read_text(encoding="utf-8").strip())
        for one, other in pairwise(said):
            turns.append((f"In {title}, what follows on this: {one}", other))
            turns.append((f"In {title}, what stands before this: {other}", one))
    return turns


def memory_at(path, token_limit):
    """Our buffer on a file, or, without one, LlamaIndex's own."""
    if path is None:
        return ChatMemoryBuffer.from_defaults(token_limit=token_limit)
    return StreetAIChatMemoryBuffer.from_defaults(path=path, session_id=SESSION, token_limit=token_limit)


def play(url, path, token_limit, questions):
    """Put the questions to a chat engine over the texts, with the memory in `path`."""
    index = VectorStoreIndex(nodes=paragraphs(), embed_model=EncoderEmbedding(default_encoder()))
    memory = memory_at(path, token_limit)
    with httpx.Client() as client:
        llm = OpenAILike(
            model="scripted",
            api_base=url,
            api_key="none",
            is_chat_model=True,
            context_window=CONTEXT_WINDOW,
            max_retries=0,
            http_client=client,
        )
        engine = index.as_chat_engine(chat_mode="context", memory=memory, llm=llm, similarity_top_k=1)
        for question in questions:
            engine.chat(question)
    if path is not None:
        memory.close()


def play_elsewhere(url, path, token_limit, questions):
    """The same in a process of its own, which ends then."""
    task = json.dumps([url, None if path is None else str(path), token_limit, questions])
    subprocess.run([sys.executable, "-m", __spec__.name, "--play"], input=task, text=True, check=True)


def listen(wire):
    """Record the requests of a server."""
    log = Log()
    answer = wire.answer

    def noted(request):
        log.requests.append(request["messages"])
        return answer(request)

    wire.answer = noted
    return log


def run(path, turns, *, token_limit, processes=PROCESSES, player=play_elsewhere):
    """Tell the facts, have the turns, ask for the facts; in so many processes. Returns the log."""
    told = [(fact, reply) for fact, reply, _, _ in FACTS]
    asked = [(question, "I would have to look it up.") for _, _, question, _ in FACTS]
    whole = list(turns)
    for number, fact in enumerate(told):
        # Apart: what is told in one breath belongs together, and would be recalled together.
        whole.insert(number * (1 + APART), fact)
    size = -(-len(whole) // processes)
    parts = [whole[start : start + size] for start in range(0, len(whole), size)]
    parts[-1] += asked
    with served() as wire:
        log = listen(wire)
        for part in parts:
            wire.answers[:] = [{"content": reply} for _, reply in part]
            player(wire.url, path, token_limit, [question for question, _ in part])
            if wire.answers:
                raise SystemExit(f"{len(wire.answers)} turns of {len(part)} were not played")
    return log


def found(log):
    """For each fact: is it in the prompt of its own question, and in how many prompts of the others' questions?"""
    last = log.requests[-len(FACTS) :]
    return [
        {
            "question": question,
            "in_its_prompt": needle in json.dumps(last[number]),
            "in_other_prompts": sum(needle in json.dumps(other) for other in last if other is not last[number]),
        }
        for number, (_, _, question, needle) in enumerate(FACTS)
    ]


def quarters(tokens):
    """Mean tokens of a request in each quarter of the run."""
    return [round(mean(tokens[n * len(tokens) // 4 : (n + 1) * len(tokens) // 4])) for n in range(4)]


def main():
    """Play one part for another process, or all of it and record the figures."""
    if sys.argv[1:] == ["--play"]:
        play(*json.load(sys.stdin))
        return
    turns = conversation()
    with tempfile.TemporaryDirectory() as folder:
        ours = run(Path(folder) / "memory.db", turns, token_limit=TOKEN_LIMIT)
    whole = run(None, turns, token_limit=CONTEXT_WINDOW, processes=1)
    sent, resent = ours.tokens, whole.tokens
    by_quarter = quarters(sent)
    record(
        "llamaindex_wire",
        {
            "turns": len(sent),
            "least_messages_between_telling_and_asking": 2 * (len(turns) - APART * (len(FACTS) - 1)),
            "processes": PROCESSES,
            "token_limit": TOKEN_LIMIT,
            "facts": found(ours),
            "curve": [[number, sent[number - 1], resent[number - 1]] for number in range(EVERY, len(sent) + 1, EVERY)],
            "last_turn_ours": sent[-1],
            "last_turn_whole": resent[-1],
            "largest_turn_ours": max(sent),
            "tokens_saved_percent": round(100 * (1 - sum(sent) / sum(resent)), 1),
            "mean_tokens_by_quarter_ours": by_quarter,
            "last_quarter_over_second": round(by_quarter[3] / by_quarter[1], 3),
            "packages": {
                name: version(name) for name in ("llama-index-core", "llama-index-llms-openai-like", "openai")
            },
        },
    )


if __name__ == "__main__":
    main()
