"""The errors of the library as values."""

import copy
import inspect
import pickle

import pytest

from streetai_core import errors
from streetai_core.errors import StreetAIError

ALL = [one for one in vars(errors).values() if inspect.isclass(one) and issubclass(one, StreetAIError)]


def made(error):
    """One of a class, with a value of the right type for each argument."""
    if "__init__" not in vars(error):
        return error("it did not work. Try again")
    _, *wanted = inspect.signature(error.__init__, eval_str=True).parameters.values()
    return error(
        *({str: "a name", float: 2.5, int: 7, tuple[str, ...]: ("one", "two")}[one.annotation] for one in wanted)
    )


@pytest.mark.parametrize("error", ALL)
@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        lambda one: pickle.loads(pickle.dumps(one)),  # noqa: S301 - made in the line itself
    ],
    ids=["copy", "deepcopy", "pickle"],
)
def test_an_error_comes_back_whole(error, again):
    """A pool of processes that cannot take an error over breaks, or waits for ever, and nobody sees what happened."""
    before = made(error)
    after = again(before)
    assert type(after) is error
    assert (str(after), vars(after)) == (str(before), vars(before))


def test_every_error_is_found():
    """A list that finds none would prove nothing."""
    assert {errors.MissingExtraError, errors.MemoryBusyError, errors.VectorError} <= set(ALL)


def test_an_error_about_thousands_of_messages_can_be_read():
    """A model with a limit refuses all that are long; a line with the ids of them all is seen by nobody."""
    ids = tuple(f"message-{number}" for number in range(5_000))
    error = errors.RefusedTextsError("m", ids, 0, "The memory is as it was.")
    assert error.message_ids == ids
    assert "message-19 and 4980 more" in str(error)
    assert len(str(error)) < 500
