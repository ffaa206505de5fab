"""An application that the type checker of its author accepts: our middleware beside LangChain's own. Never run."""

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRetryMiddleware, PIIMiddleware
from langchain_core.language_models import BaseChatModel

from streetai_langchain import StreetAIMemory


def agents(model: BaseChatModel, memory: StreetAIMemory) -> None:
    """Alone, and among others."""
    create_agent(model, tools=[], middleware=[memory.middleware()])
    create_agent(model, tools=[], middleware=[PIIMiddleware("email"), memory.middleware(), ModelRetryMiddleware()])
