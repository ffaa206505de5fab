"""Every error that StreetAI Memory raises on purpose.

    StreetAIError
    ├── InputError (ValueError)             what the caller gave cannot be used
    │   ├── ConfigError                     settings are out of range or not supported
    │   ├── MessageConflictError            a message id is taken by another message
    │   ├── RollbackError                   a version cannot be gone back to exactly
    │   ├── ImportFormatError               a file to import is not what it should be
    │   └── VectorError                     a vector is not finite or has the wrong shape
    ├── EncoderError (RuntimeError)         the embedding model failed, or gave no vectors
    │   ├── EncoderMismatchError            the stored vectors come from another encoder
    │   ├── RefusedTextsError               the model works, and refuses some texts
    │   └── ModelFileError                  a model file is missing or is not the one expected
    ├── StrategyError (RuntimeError)        a strategy of your own failed, or gave no scores
    ├── ProcessorError (RuntimeError)       a post-processor of your own failed
    ├── MissingExtraError (ImportError)     an optional package is not installed
    ├── StaleMemoryError (RuntimeError)     the memory was reset behind this handle
    ├── ClosedError (RuntimeError)          the registry is closed
    ├── PickledHandleError (TypeError)      something that is open in this process cannot go to another one
    └── StoreError (RuntimeError)           the database could not do what was asked
        ├── MemoryBusyError                 another writer held the lock for too long
        ├── ReadOnlyStoreError              the file or its folder cannot be written
        ├── StorageFullError                the disk is full
        ├── DamagedFileError                the file is not a database, or is corrupted
        ├── NewerFileError                  the file was written by a newer version
        └── OtherLayoutError                the file's tables are those of another version

Catch `StreetAIError` to catch them all. After any of them the memory is as it was before the call.
"""

from __future__ import annotations

_NAMED = 20
"""Messages that an error names in its text: a model that takes no long ones may refuse every second one of a memory."""


class StreetAIError(Exception):
    """Base class of every error of this library."""


class InputError(StreetAIError, ValueError):
    """What the caller gave cannot be used; the message names the argument and the rule."""


class ConfigError(InputError):
    """Settings of a `Config` are out of range, and the message names all of them; or a database is not supported."""


class MessageConflictError(InputError):
    """A message id is already taken by a message with another text or role."""


class RollbackError(InputError):
    """A memory cannot go back to a version exactly; the message says why and lists what is gone."""


class ImportFormatError(InputError):
    """A file to import is not in a format that is known, or a value in it has the wrong type."""


class VectorError(InputError):
    """A vector that the caller gave is not finite, not of the expected dimension, or not numeric."""


class EncoderError(StreetAIError, RuntimeError):
    """The embedding model failed, or what it returned are no vectors; nothing was stored."""


class EncoderMismatchError(EncoderError):
    """The vectors of this memory were made by another encoder; the message names both."""


class RefusedTextsError(EncoderError):
    """The model works, and refuses what some messages say.

    Args:
        memory_id: the memory that they are in.
        message_ids: theirs.
        embedded: how many signals of the memory got a new vector all the same.
        so: what has become of the memory, and what to do.
    """

    def __init__(self, memory_id: str, message_ids: tuple[str, ...], embedded: int, so: str) -> None:
        named = ", ".join(message_ids[:_NAMED])
        if len(message_ids) > _NAMED:
            named += f" and {len(message_ids) - _NAMED} more, which `message_ids` has"
        super().__init__(f"the encoder refuses a text of these messages of memory {memory_id!r}: {named}. {so}")
        self.memory_id = memory_id
        self.message_ids = message_ids
        self.embedded = embedded
        self.so = so

    def __reduce__(self) -> tuple[type[RefusedTextsError], tuple[str, tuple[str, ...], int, str]]:
        """Pickle by what it was made of, so that the error crosses process borders."""
        return (type(self), (self.memory_id, self.message_ids, self.embedded, self.so))


class ModelFileError(EncoderError):
    """A model file is missing, or its checksum is not the one expected."""


class StrategyError(StreetAIError, RuntimeError):
    """A strategy of your own failed, or what it returned are no scores; the message names it."""


class ProcessorError(StreetAIError, RuntimeError):
    """A post-processor of your own failed; the message names it."""


class MissingExtraError(StreetAIError, ImportError):
    """An optional package is not installed; the message has the `pip install` line."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed. Install it with: pip install 'streetai[{extra}]'")
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Pickle by the names, so that the error crosses process borders."""
        return (type(self), (self.package, self.extra))


class StaleMemoryError(StreetAIError, RuntimeError):
    """The memory was reset after this handle was made; get a new one from the registry."""


class ClosedError(StreetAIError, RuntimeError):
    """The registry or its store is closed."""


class PickledHandleError(StreetAIError, TypeError):
    """What stands for an open file or a loaded model cannot be pickled; the message says what to do instead."""


class StoreError(StreetAIError, RuntimeError):
    """The database could not do what was asked; nothing was changed."""


class MemoryBusyError(StoreError):
    """Another writer held the database for longer than the timeout."""

    def __init__(self, waited_seconds: float) -> None:
        super().__init__(
            f"other writers, of this process or another, held the database for {waited_seconds:.1f} s. Try again, "
            "or open the registry with a larger busy_timeout."
        )
        self.waited_seconds = waited_seconds

    def __reduce__(self) -> tuple[type[MemoryBusyError], tuple[float]]:
        """Pickle by the seconds, so that the error crosses process borders."""
        return (type(self), (self.waited_seconds,))


class ReadOnlyStoreError(StoreError):
    """The database file or its folder cannot be written."""


class StorageFullError(StoreError):
    """The disk is full; what was stored is intact and writing works again when there is space."""


class DamagedFileError(StoreError):
    """The file is not a database of ours, or its content is corrupted."""


class NewerFileError(StoreError):
    """The file was written by a newer version of this library."""


class OtherLayoutError(StoreError):
    """The file has other tables than this version of the library makes; the message names one."""
