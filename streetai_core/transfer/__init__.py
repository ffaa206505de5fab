"""Memories out of and into files: whole ones without loss, and the histories that other programs keep.

    from streetai_core.transfer import export_memory, import_file

    export_memory(registry, "ada", "ada.jsonl")
    import_file(registry, "conversations.json", memory_id="ada")

Nothing here builds objects from stored bytes: files are JSON, or SQLite databases of texts and numbers, and every value
is checked before it is used.
"""

from streetai_core.transfer.digest import memory_digest
from streetai_core.transfer.exporting import export_memory
from streetai_core.transfer.importing import import_file
from streetai_core.transfer.values import FORMATS, Exported, FormatName, Imported, Rejected

__all__ = [
    "FORMATS",
    "Exported",
    "FormatName",
    "Imported",
    "Rejected",
    "export_memory",
    "import_file",
    "memory_digest",
]
