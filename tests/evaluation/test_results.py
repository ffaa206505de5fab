"""Results on disk, and what made them."""

import json
import sys

import pytest

from streetai_core.errors import InputError
from streetai_core.evaluation.provenance import code_digest, git_version, provenance
from streetai_core.evaluation.results import ResultsFolder


def test_parts_are_found_again_by_all_they_depend_on(tmp_path):
    """If it fails, a run takes up results of other data or other settings."""
    folder = ResultsFolder(tmp_path / "out")
    rows = [{"a": 1}, {"b": "\u2014"}]
    assert folder.part("x", {"data": 1}) is None
    folder.save_part("x", {"data": 1}, rows)
    assert rows == folder.part("x", {"data": 1})
    assert folder.part("x", {"data": 2}) is None
    assert ([{"c": 1}], False) == folder.kept("y", {}, lambda: [{"c": 1}])
    assert ([{"c": 1}], True) == folder.kept("y", {}, lambda: pytest.fail("made again"))


def test_a_part_may_have_any_text(tmp_path):
    """If it fails, a conversation with a line separator in a name is measured anew in every run."""
    folder, rows = ResultsFolder(tmp_path), [{"category": "one\u2028two\x85three\r\nfour"}, {"category": ""}]
    folder.save_part("x", {}, rows)
    assert rows == folder.part("x", {})


def test_a_damaged_part_is_made_again(tmp_path):
    """If it fails, a full disk ends all later runs."""
    folder = ResultsFolder(tmp_path)
    folder.save_part("x", {}, [{"a": 1}])
    next((tmp_path / "parts").iterdir()).write_text('{"a": ', encoding="utf-8")
    assert folder.part("x", {}) is None


def test_labels_of_any_kind_make_files(tmp_path):
    """If it fails, a conversation with a slash in its id cannot be measured."""
    folder = ResultsFolder(tmp_path)
    folder.save_part('../c:1 "x=\u4e2d"', {}, [{"a": 1}])
    assert [{"a": 1}] == folder.part('../c:1 "x=\u4e2d"', {})
    assert [tmp_path / "parts"] == list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    """If it fails, a run ends in a traceback after an hour."""
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(InputError, match="cannot write the results"):
        ResultsFolder(tmp_path / "taken").save("recall", {})


def test_reports_and_rows_are_plain_files(tmp_path):
    """If it fails, other programs cannot read what was saved."""
    folder = ResultsFolder(tmp_path)
    assert {"x": 1} == json.loads(folder.save("recall", {"x": 1}).read_text(encoding="utf-8"))
    lines = folder.save_rows("rows", [{"x": 1}, {"x": 2}]).read_text(encoding="utf-8").splitlines()
    assert [{"x": 1}, {"x": 2}] == [json.loads(line) for line in lines]
    assert ["recall.json", "rows.jsonl"] == sorted(path.name for path in tmp_path.iterdir())


def test_commands_are_recorded_without_folders(monkeypatch):
    """If it fails, published results tell where somebody keeps their files."""
    arguments = ["streetai", "bench", "recall", "--data", "/home/me/talk.json", "--out=/tmp/x/out", "--budgets", "500"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert "streetai bench recall --data talk.json --out=out --budgets 500" == provenance()["command"]


def test_code_has_a_digest_that_follows_it(tmp_path, monkeypatch):
    """If it fails, results of yesterday's code are taken for today's."""
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in (("measured_one", "x = 1"), ("measured_two", "x = 1"), ("measured_three", "x = 2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text, encoding="utf-8")
    one, two, three = (code_digest([f"measured_{name}"]) for name in ("one", "two", "three"))
    assert one == two != three
    assert code_digest(["measured_one", "measured_three"]) == code_digest(["measured_three", "measured_one"])
    with pytest.raises(ModuleNotFoundError, match="measured_nothing"):
        code_digest(["measured_nothing"])


def test_without_git_there_is_no_commit(monkeypatch):
    """If it fails, nothing can be measured on a machine without git."""
    monkeypatch.setenv("PATH", "")
    assert git_version() is None
