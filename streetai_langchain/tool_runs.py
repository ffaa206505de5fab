"""Whether a run is inside a tool: then the model has put the question, and the user has not."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

_NODE = "tools"
"""The node of an agent that runs its tools; also how langgraph's `ToolNode` is called if nobody names it otherwise."""


def is_in_tool(config: RunnableConfig) -> bool:
    """Whether a run has its config from a tool of a graph, however deep below it.

    langgraph names in it the nodes that led to the run, from the outermost on: `tools:ID|agent:ID`. A run that the
    tool gives a thread of its own begins anew, and is not inside.
    """
    path = str(config.get("configurable", {}).get("checkpoint_ns") or "")
    return any(step.partition(":")[0] == _NODE for step in path.split("|"))
