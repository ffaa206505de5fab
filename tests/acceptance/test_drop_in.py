"""Acceptance numbers 20 and 50: a reply is never lost to the memory, and nothing needs the network."""

import subprocess
import sys

from langchain_core.language_models import FakeListChatModel

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_langchain import StreetAIChainMemory

QUICKSTART = """
import sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname"}:
        raise SystemExit(f"asked for the network: {event} {arguments}")

sys.addaudithook(refuse)
from streetai_core import MemoryRegistry

with MemoryRegistry("memory.db") as registry:
    memory = registry.get("user_123")
    memory.add_message("I am vegetarian.", role="user")
    memory.add_message("Noted, no meat and no fish in my suggestions from now on.", role="assistant")
    for n in range(20):
        memory.add_message(f"Remark {n} about the weather on the island.", role="user")
    print(sorted(hit.signal.content for hit in memory.retrieve("Do I eat meat?")[:2]))
    print(memory.build_prompt("What may I cook?").inspector["tokens_sent"] > 0)
"""


def test_number_20_a_memory_error_after_the_model_call_costs_no_reply(tmp_path, recwarn):
    """The registry is closed while the model answers; the reply is delivered, and the error reported."""
    from langchain_classic.chains import ConversationChain  # noqa: PLC0415 - constructed under recwarn

    registry = MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder())

    class Closing(FakeListChatModel):
        """Closes the memory's file, then answers."""

        def _call(self, *arguments, **options):
            registry.close()
            return super()._call(*arguments, **options)

    errors = []
    memory = StreetAIChainMemory(memory=registry.get("m"), on_error=errors.append)
    chain = ConversationChain(llm=Closing(responses=["a reply that was paid for"]), memory=memory)
    assert chain.invoke({"input": "hello there"})["response"] == "a reply that was paid for"
    assert [type(error).__name__ for error in errors] == ["ClosedError"]
    # LangChain warns once per process: not here if another test has made such a chain before.
    assert {warning.category.__name__ for warning in recwarn} <= {"LangChainDeprecationWarning"}


def test_number_50_the_quickstart_runs_offline(tmp_path):
    """With the extra `offline` installed, in a process that may not open a connection."""
    done = subprocess.run([sys.executable, "-c", QUICKSTART], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = ["I am vegetarian.", "Noted, no meat and no fish in my suggestions from now on."]
    assert done.stdout.splitlines() == [str(found), "True"]
