"""A file of a newer version is not salvaged by halves; a header that says so falsely does not keep a file back."""

import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from streetai_core.cli import main
from streetai_core.errors import NewerFileError
from streetai_core.upkeep.salvage import salvage
from tests.stores.scripts import hashes
from tests.upkeep.files import fill

CHANGES = {
    "one more table": "CREATE TABLE attachments (memory_key INTEGER, data BLOB)",
    "one more column": "ALTER TABLE messages ADD COLUMN mood TEXT",
}
"""What a newer version may have done, which no row of ours shows."""


def change(path, *statements):
    """Change a closed file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("changed", CHANGES)
def test_a_newer_file_is_refused(path, tmp_path, changed):
    """What this version does not know would be left behind, and all that it knows be called everything."""
    fill(path)
    change(path, CHANGES[changed], "PRAGMA user_version = 2")
    before = hashes(path)
    with pytest.raises(NewerFileError, match="has schema version 2"):
        salvage(path, tmp_path / "saved.db")
    assert hashes(path) == before
    printed = CliRunner().invoke(main, ["salvage", str(path), "-o", str(tmp_path / "saved.db")])
    assert printed.exit_code == 1
    assert not (tmp_path / "saved.db").exists()


def test_a_damaged_number_of_the_version_loses_nothing(path, tmp_path):
    """All other commands refuse the file, so this one must not."""
    fill(path)
    change(path, "PRAGMA user_version = 3")
    assert salvage(path, tmp_path / "saved.db").complete
