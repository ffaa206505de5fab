"""What the README leaves to its reader: a model, an index and a vector store for LlamaIndex, and providers' servers."""

from contextlib import contextmanager

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.vector_stores import SimpleVectorStore

from streetai_core.encoders import HashingEncoder
from tests.adapters.wire import anthropic_api, gemini_api, openai_chat_api
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served
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


@contextmanager
def serve_providers(monkeypatch):
    """Providers' SDKs find their servers, and keys, in the environment; these are on this machine."""
    with served(openai_chat_api) as openai, served(anthropic_api) as anthropic, served(gemini_api) as gemini:
        for name, wire, path in (
            ("OPENAI", openai, "/v1"),
            ("ANTHROPIC", anthropic, ""),
            ("GOOGLE_GEMINI", gemini, ""),
        ):
            wire.otherwise = from_texts
            monkeypatch.setenv(f"{name}_BASE_URL", f"{wire.url}{path}")
        for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
            monkeypatch.setenv(f"{name}_API_KEY", "none")
        yield


def names():
    """The names that stand in the examples and are not made there."""
    return {
        "llm": ScriptedChat(script=Script(answer)),
        "index": index(),
        "embed_model": EncoderEmbedding(HashingEncoder()),
        "vector_store": StoreWithText(),
    }
