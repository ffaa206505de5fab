"""Failures of the memory inside a framework."""

import pytest

from streetai_core.failures import fail_open


def test_a_failure_is_reported_and_hidden(caplog):
    """A framework's reply is never lost because the memory fails, and somebody is told."""
    told = []
    with fail_open("nothing is recalled", told.append):
        raise ValueError("no such table")
    assert [str(error) for error in told] == ["no such table"]
    assert "the memory failed, nothing is recalled: no such table" in caplog.text


def test_a_failing_report_is_hidden_too(caplog):
    """A bug in the application's own reporting costs no reply either."""
    with fail_open("nothing is recalled", lambda _: 1 / 0):
        raise ValueError("no such table")
    assert "on_error failed" in caplog.text


def test_interrupts_go_through():
    """Ctrl-C ends the program, not only the recall."""
    with pytest.raises(KeyboardInterrupt), fail_open("nothing is recalled", None):
        raise KeyboardInterrupt
