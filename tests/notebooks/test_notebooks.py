"""Every notebook runs from a clean state, and shows what its committed outputs show."""

import ast
import base64
import re
import struct
import warnings
from difflib import SequenceMatcher
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
NAMES = (
    "01_quickstart",
    "02_inside_a_memory",
    "03_langchain",
    "04_llamaindex",
    "05_recall",
    "06_savings",
)
LIMIT = 120
"""Seconds for one notebook."""

ALIKE = 0.9
"""Least likeness of two outputs. Not all machines compute the model's eighth-bit products alike, so that numbers, and
places of texts that are close to each other, may differ a little."""

NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")


def read(name):
    """The committed notebook."""
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def code_cells(notebook):
    """Its cells that can be run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell):
    """What a cell shows, as text: prints, values, and the words for its pictures."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
        else:
            data = output.data
            yield data.get("text/html") or data.get("text/plain", "")
            yield output.metadata.get("image/png", {}).get("alt", "")


def masked(text):
    """The words of an output, without its numbers."""
    return NUMBER.sub("#", text).split()


def test_these_are_all_of_them():
    """None is left out, and nothing else lies there but their pictures."""
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == list(NAMES)
    assert {path.name for path in FOLDER.iterdir()} - {".ipynb_checkpoints"} == {
        *(f"{name}.ipynb" for name in NAMES),
        "pictures",
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_outputs_are_whole(name):
    """Run from top to bottom in a new kernel, without an error or a warning, and with nothing of a machine in them."""
    notebook = read(name)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    # A line that begins so is Python's own; in the conversation somebody pastes one.
    for forbidden in ("/root/", "/home/", "/Users/", '"Traceback', "Warning: ", "ipykernel_", '"stderr"', '"error"'):
        assert forbidden not in text, forbidden


@pytest.mark.parametrize("name", NAMES)
def test_the_first_cell_installs_what_is_needed(name):
    """Where the library is missing; and every other cell can be read by every Python."""
    first, *others = code_cells(read(name))
    assert '"pip", "install", "--quiet", "streetai[' in first.source
    for cell in others:
        ast.parse(cell.source) if "await" not in cell.source else compile(
            cell.source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        )


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_says_what_it_shows(name):
    """A text for whoever cannot see it, and a size that is readable."""
    pictures = 0
    for cell in code_cells(read(name)):
        for output in cell.outputs:
            if "image/png" not in output.get("data", {}):
                continue
            pictures += 1
            assert len(output.metadata["image/png"]["alt"]) > 30
            width, height = struct.unpack(">II", base64.b64decode(output.data["image/png"])[16:24])
            assert 700 <= width <= 1000
            assert 250 <= height <= 700
            # Title, and axes that say what they show.
            assert re.search(r'figure\(\s*f?"[^"]+",\s*f?"[^"]+",\s*f?"[^"]+"', cell.source)
    assert pictures >= 1


@pytest.mark.parametrize("name", NAMES)
def test_a_new_run_shows_the_same(name, tmp_path):
    """In a new kernel and an empty folder."""
    with warnings.catch_warnings():
        # Of Jupyter's own: about its connections, and about what it will do in another version.
        warnings.simplefilter("ignore")
        again = read(name)
        for cell in code_cells(again):
            cell.outputs, cell.execution_count = [], None
        resources = {"metadata": {"path": str(tmp_path)}}
        # A slow machine gets what a cell prints in several pieces.
        client = NotebookClient(again, timeout=LIMIT, kernel_name="python3", resources=resources, coalesce_streams=True)
        client.execute()
    for number, (before, after) in enumerate(zip(code_cells(read(name)), code_cells(again), strict=True)):
        assert [output.output_type for output in before.outputs] == [output.output_type for output in after.outputs]
        for old, new in zip(shown(before), shown(after), strict=True):
            likeness = SequenceMatcher(None, masked(old), masked(new), autojunk=False).ratio()
            assert likeness >= ALIKE, f"cell {number} of {name} now shows:\n{new}"
    assert [path for path in tmp_path.iterdir() if path.suffix != ".db"] == []
