"""Another program that holds the write lock of a database."""

from contextlib import closing, contextmanager

from streetai_core.stores import _sqlite


@contextmanager
def locked(path):
    """Another program holds the write lock of a file."""
    with closing(_sqlite.connect(path.as_uri(), timeout=0)) as connection:
        connection.isolation_level = None
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
