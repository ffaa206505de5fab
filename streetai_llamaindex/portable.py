"""A memory of LlamaIndex's as JSON, as a pickle and as a copy: what comes back is on the same engine and session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, TypeVar

from llama_index.core.bridge.pydantic import model_validator
from pydantic import ModelWrapValidatorHandler

from streetai_core.errors import InputError
from streetai_llamaindex.attached import Attached, told_time
from streetai_llamaindex.opening import Opening
from streetai_llamaindex.serialization import Written, is_written

_OPENING_ARGUMENTS = ("path", "registry", "embed_model", "config")
"""Which arguments of `from_dict` say where the engine is."""

P = TypeVar("P", bound="Portable")


class Portable(Attached):
    """A memory that can be sent away and comes back; put it before the framework's class."""

    _LEFT_OUT: ClassVar[frozenset[str]] = frozenset()
    """Fields that cannot be made of what is written of them."""

    def to_string(self) -> str:
        """What `to_dict` gives, as a JSON text."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls: type[P], data: Mapping[str, Any], **kwargs: Any) -> P:  # noqa: PYI019 - Self needs Python 3.11
        """The memory that `to_dict` has written: on the same engine, with the same window.

        In the process that wrote it, it has the same tokenizer, `on_error` and memory blocks too.

        Args:
            data: what `to_dict` returned; of a stock `ChatMemoryBuffer` too.
            kwargs: arguments of `from_defaults`, without `llm`, that take the place of what was written. Another
                process than the one that wrote it needs `embed_model` or `registry`, `memory_blocks`, and `asked_at`
                if it was a function, if there were any.

        Raises:
            ValueError: the data is not a memory's, an argument is unknown, or `asked_at` was a function that is not
                known here.
        """
        written = Written.of(data)
        opening = written.opening(**{name: kwargs.pop(name) for name in _OPENING_ARGUMENTS if name in kwargs})
        beside = {name: kwargs.pop(name) for name in ("on_error", "chat_history") if name in kwargs}
        session = kwargs.pop("session_id", None)
        if session is not None:
            kwargs[cls._SESSION] = session
        if unknown := kwargs.keys() - cls.model_fields.keys():
            raise InputError(f"unexpected arguments: {', '.join(sorted(unknown))}")
        values = cls._values(written, opening, kwargs)
        memory = cls(**values)
        memory._go_on(written, values)
        memory._take(**beside)
        return memory

    @classmethod
    def from_string(cls: type[P], json_str: str, **kwargs: Any) -> P:  # noqa: PYI019 - as above
        """The memory that `to_string` has written; see `from_dict`."""
        return cls.from_dict(json.loads(json_str), **kwargs)

    @model_validator(mode="wrap")
    @classmethod
    def _of_dump(cls: type[P], data: Any, handler: ModelWrapValidatorHandler[P]) -> P:  # noqa: PYI019 - as above
        """Take what `model_dump` has written, as a model that has a memory as a field gives it back."""
        if not is_written(data):
            return handler(data)
        written = Written.of(data)
        values = cls._values(written, written.opening(), {})
        # A copy: upstream writes its own tokenizer into what it is given.
        memory = handler(dict(values))
        memory._go_on(written, values)  # noqa: SLF001 - another object of this class
        return memory

    @classmethod
    def _values(cls, written: Written, opening: Opening, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a memory that was written; those that were given take the place of its own."""
        names = cls.model_fields.keys() - cls._LEFT_OUT
        values = {name: value for name, value in written.settings.items() if name in names} | dict(given)
        # Here, for pydantic wraps the errors of what it calls.
        values["asked_at"] = told_time(values.get("asked_at"), opening, values.get(cls._SESSION))
        return {**values, "engine": dict(opening.address)}

    def _go_on(self, written: Written, values: Mapping[str, Any]) -> None:
        """Take what goes along with a memory that was written, and is no plain setting."""
        if "tokenizer_fn" not in values and self.conversation.tokenizer is not None:
            self.tokenizer_fn = self.conversation.tokenizer
        # What lives in RAM may still be there, and be ahead of what was written.
        self._seed = written.messages if written.messages and not self._source.everything() else None

    def _beside(self) -> dict[str, Any]:
        """What a pickle has besides the JSON, as arguments of `from_dict`."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by `to_dict`."""
        return _unpickled, (type(self), self.to_dict(), self._beside())

    def __copy__(self: P) -> P:  # noqa: PYI019 - as above
        """A copy on the same engine and session, which are there until both are closed."""
        duplicate = super().__copy__()
        duplicate._lease = self._opening.lease()  # noqa: SLF001 - another object of this class
        return duplicate

    def __deepcopy__(self: P, memo: dict[int, Any] | None = None) -> P:  # noqa: PYI019 - as above
        """The same: there is one truth, which is not copied."""
        return copy(self)

    def model_copy(self: P, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> P:  # noqa: ARG002, PYI019 - upstream's names
        """The same, with other values of fields; where both are asked for, pydantic would copy locks."""
        return super().model_copy(update=update)


def _unpickled(cls: type[P], data: dict[str, Any], beside: dict[str, Any]) -> P:
    return cls.from_dict(data, **beside)
