"""What the pages leave to their reader: a model, an index and a vector store for LlamaIndex, and providers' servers."""

from contextlib import contextmanager

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.vector_stores import SimpleVectorStore

from streetai_core.encoders import HashingEncoder
from tests.adapters.wire import anthropic_api, gemini_api, openai_chat_api, openai_responses_api
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.internet import internet
from tests.llamaindex_plugin.engines import EncoderEmbedding, index
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, text_of_prompt


class StoreWithText(SimpleVectorStore):
    """LlamaIndex's vector store in RAM, with the text of its nodes, which a `VectorMemoryBlock` asks for."""

    stores_text: bool = True
    _nodes: dict = PrivateAttr(default_factory=dict)

    def add(self, nodes, **options):
        """Keep vectors and nodes."""
        self._nodes |= {node.node_id: node for node in nodes}
        return super().add(nodes, **options)

    def query(self, query, **options):
        """The nearest nodes."""
        found = super().query(query, **options)
        found.nodes = [self._nodes[name] for name in found.ids]
        return found


def answer(messages):
    """What a sailor's assistant says that knows only what stands in the prompt."""
    text = text_of_prompt(messages)
    if "?" not in (messages[-1].content or ""):
        return "Noted."
    return "Your boat is at berth 31." if "berth 31" in text else "I do not know."


def from_texts(received):
    """The same assistant behind a provider's API."""
    *_, last = received.texts
    if "?" not in last:
        return Answer("Noted.")
    return Answer("Your boat is at berth 31." if "berth 31" in "".join(received.texts) else "I do not know.")


PROVIDERS = {
    "api.openai.com:443/v1/chat/completions": openai_chat_api,
    "api.openai.com:443/v1/responses": openai_responses_api,
    "api.anthropic.com:443/v1/messages": anthropic_api,
    "generativelanguage.googleapis.com:443/v1": gemini_api,
    "api.deepseek.com:443/chat/completions": openai_chat_api,
    "api.together.xyz:443/v1/chat/completions": openai_chat_api,
    "api.groq.com:443/openai/v1/chat/completions": openai_chat_api,
    "localhost:11434/v1/chat/completions": openai_chat_api,
    "localhost:8000/v1/chat/completions": openai_chat_api,
    "localhost:8080/v1/chat/completions": openai_chat_api,
}
"""The servers that the examples ask, and what they speak."""

ELSEWHERE = (
    "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_API_KEY",
)
"""What would lead the SDKs to other servers, or give them other keys."""


@contextmanager
def serve_providers(folder, monkeypatch):
    """All of them on this machine, under their names; SDKs find keys in the environment. Yields the `Wire` of each."""
    with internet(PROVIDERS, folder, monkeypatch) as wires:
        for wire in wires.values():
            wire.otherwise = from_texts
        for name in ELSEWHERE:
            monkeypatch.delenv(name, raising=False)
        for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
            monkeypatch.setenv(f"{name}_API_KEY", "none")
        yield wires


def names():
    """The names that stand in the examples and are not made there."""
    return {
        "llm": ScriptedChat(script=Script(answer)),
        "index": index(),
        "embed_model": EncoderEmbedding(HashingEncoder()),
        "vector_store": StoreWithText(),
    }
