"""What stands for something that is open in this process: a file, a model, what is known of both."""

from __future__ import annotations

from typing import ClassVar, NoReturn, TypeVar

from streetai_core.errors import PickledHandleError

Self = TypeVar("Self", bound="Handle")


class Handle:
    """Base of objects that stand for something open: a copy of one is the object itself, and none goes elsewhere.

    Frameworks copy what they are given, with all that it holds. There is one file and one memory in it, so that a copy
    is that one; with half of its parts its own it would close what the other one uses.
    """

    __slots__ = ()

    INSTEAD: ClassVar[str] = "Make one in the process that is to use it."
    """What to do where one is wanted in another process."""

    def __copy__(self: Self) -> Self:  # noqa: PYI019 - Self needs Python 3.11
        return self

    def __deepcopy__(self: Self, memo: dict[int, object]) -> Self:  # noqa: PYI019 - as above
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PickledHandleError(
            f"a {type(self).__name__} cannot be pickled: it stands for what is open in this process. {self.INSTEAD}"
        )
