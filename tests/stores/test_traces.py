"""Traces find what was deleted, wherever it stands, and nothing else."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core.stores import raw_files, searching
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.raw_files import can_read, copy_file, files_of, raw_parts
from streetai_core.stores.traces import PIECE, Traces

VALUE = bytes(range(100, 160))


@settings(max_examples=60)
@given(value=st.binary(max_size=200), before=st.binary(max_size=40), data=st.data())
def test_any_remnant_with_a_whole_piece_is_found(value, before, data):
    """At any offset, and however the stream is cut; pieces of few different bytes are not looked for."""
    traces = Traces([value])
    stream = before + value + b"\0" * 3
    cut = data.draw(st.integers(0, len(stream)))
    found = traces.found_in([stream[:cut], b"", stream[cut:]])
    wanted = {value[start : start + PIECE] for start in [*range(0, len(value) - PIECE + 1, PIECE), len(value) - PIECE]}
    wanted = {piece for piece in wanted if len(piece) == PIECE and len(set(piece)) >= 4}
    assert len(set(found.tolist())) == len(wanted) == len(traces)


def test_nothing_is_found_where_nothing_is():
    """In random bytes, in nothing, in what is shorter than a piece, and a piece less one byte."""
    traces = Traces([VALUE])
    noise = random.Random(3).randbytes(1_000_000)
    for stream in ([noise], [], [b""], [VALUE[: PIECE - 1]], [VALUE[1:PIECE], VALUE[PIECE + 1 : 2 * PIECE]]):
        assert len(traces.found_in(stream)) == 0
    assert len(Traces().found_in([noise])) == 0


def test_each_place_counts_and_blocks_lose_nothing():
    """A remnant across the border of two blocks is met once."""
    traces = Traces([VALUE])
    once = len(traces.found_in([VALUE]))
    stream = b"\0" * ((1 << 20) - 30) + VALUE + b"\0" * 100 + VALUE
    for step in (1000, 1 << 20, len(stream)):
        parts = [stream[start : start + step] for start in range(0, len(stream), step)]
        assert len(traces.found_in(parts)) == 2 * once


def test_a_long_value_is_looked_for_in_part():
    """So that ten megabytes do not make a million pieces."""
    value = np.random.default_rng(1).bytes(2_000_000)
    traces = Traces([value])
    assert len(traces) <= 4097
    assert len(traces.found_in([value])) == len(traces)


def test_the_bytes_of_files_come_from_another_process(tmp_path):
    """One after the other; a file that is not there is an error."""
    one, two = tmp_path / "one.db", tmp_path / "one.db-wal"
    one.write_bytes(b"a" * 3_000_000)
    two.write_bytes(b"b")
    assert files_of(str(one)) == (str(one), str(two))
    assert b"".join(raw_parts(files_of(str(one)))) == b"a" * 3_000_000 + b"b"
    with pytest.raises(OSError, match="none"):
        list(raw_parts([str(tmp_path / "none")]))
    copy_file(str(two), str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_bytes() == b"b"
    with pytest.raises(OSError, match="none"):
        copy_file(str(tmp_path / "none"), str(tmp_path / "copy"))


def test_who_stops_reading_early_stops_the_other_process(tmp_path):
    """It is not left behind."""
    path = tmp_path / "large"
    path.write_bytes(b"a" * 9_000_000)
    parts = raw_parts([str(path)])
    assert next(parts)
    parts.close()


@pytest.mark.parametrize("program", ["", "/usr/bin/uwsgi", "/opt/app/app.exe"])
def test_without_an_interpreter_nothing_is_searched(tmp_path, monkeypatch, program):
    """To start a server anew would be worse; the receipt says what was not done."""
    monkeypatch.setattr(raw_files.sys, "executable", program)
    assert can_read() is False
    file = DatabaseFile(str(tmp_path / "memories.db"), 0.0, "fast")
    erased = searching.search(file, Traces([VALUE]), ())
    assert "not searched" in erased.pending[0]


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    """Nothing was verified then."""
    file = DatabaseFile(str(tmp_path / "memories.db"), 0.0, "fast")
    (tmp_path / "memories.db").write_bytes(VALUE)
    erased = searching.search(file, Traces([VALUE]), ("before",))
    assert (erased.pending[0], "stored rows" in erased.pending[1], erased.residual > 0) == ("before", True, True)
