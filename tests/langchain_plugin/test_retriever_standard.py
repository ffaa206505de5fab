"""LangChain's own tests of a retriever, with the real embedding model."""

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from streetai_core import MemoryRegistry
from streetai_langchain import StreetAIRetriever
from tests.langchain_plugin.conftest import seed


class TestStreetAIRetriever(RetrieversIntegrationTests):
    """What LangChain expects of every retriever."""

    @pytest.fixture(autouse=True)
    def diary(self, tmp_path):
        """The diary, embedded with all-MiniLM-L6-v2."""
        with MemoryRegistry(tmp_path / "memory.db") as self.registry:
            seed(self.registry)
            yield

    @property
    def retriever_constructor(self):
        """What is tested."""
        return StreetAIRetriever

    @property
    def retriever_constructor_params(self):
        """Of one user's memory."""
        return {"registry": self.registry, "user_id": "mara"}

    @property
    def retriever_query_example(self):
        """About something in the diary."""
        return "How deep is the boat in the water?"
