"""What callbacks see of a wrapped chain: one run, with what was asked and answered, and without what was recalled."""

import pytest
from langchain_core.callbacks import BaseCallbackHandler

from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt
from tests.langchain_plugin.ways import ainvoke, astream, invoke, stream

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}, "run_name": "harbour"}


class Watching(BaseCallbackHandler):
    """Notes how the outermost run begins and ends."""

    run_inline = True

    def __init__(self):
        self.seen = []
        self._root = None

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, name=None, **_):
        """The outermost run has no parent."""
        if parent_run_id is None:
            self._root = run_id
            self.seen.append((name, inputs))

    def on_chain_end(self, outputs, *, run_id, **_):
        """With what it gave."""
        if run_id == self._root:
            self.seen.append(outputs.text)

    def on_chain_error(self, error, *, run_id, **_):
        """With what went wrong."""
        if run_id == self._root:
            self.seen.append(type(error))


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_the_outermost_run_is_that_of_the_question(diary, streetai, way):
    """Named as the caller names it."""
    watching, model = Watching(), ScriptedChatModel(reply=script(REPLY))

    await way(streetai.wrap(model), QUESTION, {**MARA, "callbacks": [watching]})

    assert watching.seen == [("harbour", QUESTION), REPLY]
    assert FACT in text_of_prompt(model.prompts[0])


@pytest.mark.parametrize("way", [invoke, ainvoke, stream, astream])
async def test_a_failure_ends_the_run(diary, streetai, way):
    """As that of any chain."""
    watching, model = Watching(), ScriptedChatModel(reply=script(ConnectionError("no answer")))

    with pytest.raises(ConnectionError):
        await way(streetai.wrap(model), QUESTION, {**MARA, "callbacks": [watching]})

    assert watching.seen == [("harbour", QUESTION), ConnectionError]


async def test_a_stream_that_is_closed_ends_the_run(diary, streetai):
    """On the event loop and without."""
    for number in range(2):
        watching, chat = Watching(), streetai.wrap(ScriptedChatModel(reply=script(REPLY)))
        config = {**MARA, "callbacks": [watching]}
        if number:
            pieces = chat.astream(QUESTION, config)
            await anext(pieces)
            await pieces.aclose()
        else:
            pieces = chat.stream(QUESTION, config)
            next(pieces)
            pieces.close()
        assert watching.seen == [("harbour", QUESTION), GeneratorExit]
