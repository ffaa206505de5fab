"""`streetai demo`: a recorded conversation, played through a LangChain chain with this memory.

Importing this needs no LangChain; running the command does.
"""

from streetai_langchain.demo.command import demo

__all__ = ["demo"]
