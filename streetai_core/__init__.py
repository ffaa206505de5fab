"""StreetAI Memory: conversation memory that organises itself and sends only what the turn needs.

from streetai_core import MemoryRegistry

with MemoryRegistry("memory.db") as registry:
    memory = registry.get("user_123")
    memory.add_message("I am vegetarian.", role="user")
    prompt = memory.build_prompt("What may I cook?")
"""

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import StreetAIError
from streetai_core.memory import Memory
from streetai_core.observing.observer import MemoryObserver
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.mapping import StackMap
from streetai_core.recall.processing import PostProcessor
from streetai_core.recall.timeline import HistoryEntry
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.base import Store
from streetai_core.strategy import Strategy
from streetai_core.tokens import EstimatedTokens, TiktokenTokens, TokenCounter
from streetai_core.types import Hit, Message, NewMessage, Prompt, Signal, Stack, WeightUpdate, Why

__all__ = [
    "Config",
    "Encoder",
    "EstimatedTokens",
    "HistoryEntry",
    "Hit",
    "Memory",
    "MemoryObserver",
    "MemoryRegistry",
    "Message",
    "NewMessage",
    "PostProcessor",
    "Prompt",
    "RecallFilter",
    "Signal",
    "Stack",
    "StackMap",
    "Store",
    "Strategy",
    "StreetAIError",
    "TiktokenTokens",
    "TokenCounter",
    "WeightUpdate",
    "Why",
    "__version__",
]

__version__ = "0.1.0"
