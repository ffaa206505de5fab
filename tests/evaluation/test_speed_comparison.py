"""Speed beside other memories: the same work for each, figures for every verb, and no system silently missing."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from streetai_core import Config
from streetai_core.cli import main
from streetai_core.errors import InputError
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder
from streetai_core.evaluation.speed_catalogue import EVERYTHING, select_timed, timed_systems, use_published
from streetai_core.evaluation.speed_comparison import compare_speed, comparison_report
from streetai_core.evaluation.speed_systems import ADD, FOUND, LEARN, OPEN, PROMPT, RETRIEVE, TIMED_VERBS
from streetai_core.evaluation.speed_texts import RecordedTexts
from streetai_core.evaluation.speed_vectors import ACROSS, LIKE, WITHIN, TopicEncoder

TEXTS = [f"remark number {number}" for number in range(40)]


def test_topics_have_the_cosines_of_their_formula():
    """If it fails, memories are timed on vectors that no memory meets."""
    encoder = TopicEncoder(100)
    vectors = encoder.encode([f"text {number}" for number in range(600)])
    assert np.allclose(1, np.linalg.norm(vectors, axis=1), atol=1e-6)
    cosines = (vectors @ vectors.T)[np.triu_indices(600, 1)]
    within, across = cosines[cosines > 0.4], cosines[cosines <= 0.4]
    assert abs(WITHIN - within.mean()) < 0.02
    assert abs(ACROSS - across.mean()) < 0.02
    assert 0.05 < len(within) / len(cosines) < 0.15


def test_a_text_has_one_vector_and_no_other_text_has_it():
    """If it fails, systems are timed on different work, or drop what they take for copies."""
    texts = [f"text {number}" for number in range(2_000)]
    vectors = TopicEncoder(2_000).encode(texts)
    assert np.array_equal(vectors[7:9], TopicEncoder(2_000).encode(texts[7:9], "query"))
    assert len(texts) == len(np.unique(vectors, axis=0))
    assert (0, 384) == TopicEncoder(1).encode([]).shape


@pytest.mark.parametrize("size", [0, -1, 2.5, "10"])
def test_a_size_that_is_none_is_refused(size):
    """If it fails, the error is one of NumPy."""
    with pytest.raises(InputError, match="size must be a whole number"):
        TopicEncoder(size)


@pytest.mark.parametrize("name", list(timed_systems(Config())))
def test_every_verb_of_every_system_works(name, tmp_path):
    """If it fails, a comparison times an error, or a system that is empty."""
    system = timed_systems(Config())[name]
    if system.missing is not None:
        pytest.skip(f"{name}: {system.missing}")
    memory = system.make(tmp_path, TopicEncoder(len(TEXTS)))
    try:
        memory.fill(TEXTS)
        verbs = memory.verbs()
        assert {*verbs} <= {*TIMED_VERBS}
        found = verbs[RETRIEVE](TEXTS[0])()
        assert 0 < len(found) <= FOUND
        for verb in verbs.values():
            verb("something new")()
    finally:
        memory.close()


def test_figures_are_ratios_to_the_first_and_say_what_add_waits_for():
    """If it fails, a reader compares figures that cannot be compared."""
    systems = select_timed(["classic", "streetai"], Config())
    watched = []
    report = comparison_report(compare_speed(systems, sizes=[20, 30], repeats=2, watch=watched.append), systems)
    verbs = (ADD, RETRIEVE, PROMPT, LEARN, OPEN)
    assert {(size, verb, name) for size in (20, 30) for verb in verbs for name in ("classic", "streetai")} == {
        (one["size"], one["verb"], one["system"]) for one in report["timings"]
    }
    assert all(one["cpu_ms"] > 0 < one["wall_ms"] for one in report["timings"])
    assert {1.0} == {one["times_wall"] for one in report["timings"] if one["system"] == "classic"}
    assert all("fsync" in said for said in report["durability"].values())
    assert 2 * (2 + len(TIMED_VERBS)) == len(watched)
    assert all(one["disk_megabytes"] > 0 for one in report["filled"])


@pytest.fixture
def cached(encoder, tmp_path):
    """An encoder that keeps its vectors."""
    return DiskCachedEncoder(encoder, tmp_path / "embeddings")


def test_recorded_texts_are_stored_as_they_were_said_and_asked_in_other_words(data, cached):
    """If it fails, verbs are timed on texts that are stored already, or on the model."""
    material = RecordedTexts(data, cached)
    said = [message.text for recording in data.recordings for message in recording.messages]
    many = material.stored(3 * len(said))
    assert many[: len(said)] == said
    assert len(many) == 3 * len(said)
    assert [sorted(text.split()) for text in many[len(said) : 2 * len(said)]] == [sorted(text.split()) for text in said]
    assert many[len(said) : 2 * len(said)] != said
    fresh = material.fresh(50, "add 7")
    assert len({*fresh} - {*many}) == 50
    assert (fresh, many) == (material.fresh(50, "add 7"), material.stored(3 * len(said)))
    assert cached.encoded == len({*said})
    with pytest.raises(InputError, match="no messages"):
        RecordedTexts(replace(data, recordings=()), cached)


def test_other_texts_have_vectors_like_those_of_recorded_ones(data, cached):
    """If it fails, a memory that cuts texts is timed on the model, or on vectors that no memory meets."""
    material = RecordedTexts(data, cached)
    encoder = material.encoder(20)
    known = material.stored(5)
    assert np.allclose(encoder.encode(known), cached.encode(known), atol=1e-6)
    every = np.array([encoder.encode([message.text])[0] for one in data.recordings for message in one.messages])
    others = material.fresh(200, "add 20")
    vectors = encoder.encode(others)
    assert np.array_equal(vectors, encoder.encode(others, "query"))
    assert len(np.unique(vectors, axis=0)) == 200
    assert abs((vectors @ every.T).max(axis=1).mean() - LIKE) < 0.05


def test_recorded_texts_are_timed_with_the_vectors_of_an_encoder(data, cached):
    """If it fails, ratios on real text cannot be had."""
    systems = select_timed(["streetai", "classic"], Config())
    report = comparison_report(
        compare_speed(systems, sizes=[20], repeats=2, material=RecordedTexts(data, cached)), systems
    )
    assert report["vectors"] == f"{data.name}, {cached.fingerprint}"
    assert {"streetai", "classic"} == {one["system"] for one in report["timings"]}


def test_a_system_that_takes_too_long_is_named():
    """If it fails, a comparison looks complete and is not."""
    systems = select_timed(["llamaindex"], Config())
    comparison = compare_speed(systems, sizes=[2_001], repeats=2)
    assert ((), ()) == (comparison.compared, comparison.filled)
    assert ("llamaindex at 2,001: filling it takes too long above 2,000",) == comparison.left_out


def test_a_missing_system_is_named_with_what_helps(monkeypatch):
    """If it fails, a comparison silently has no rivals in it."""
    for module in ("streetai", "langchain_classic", "llama_index", "sqlite_vec", "mem0"):
        # As Python spells that a module cannot be imported.
        monkeypatch.setitem(sys.modules, module, None)
    systems = select_timed([EVERYTHING], Config())
    comparison = compare_speed([one for one in systems if one.missing], sizes=[20], repeats=2)
    assert ["streetai-memory", "langchain", "llamaindex", "langgraph", "mem0"] == [
        line.split(":")[0] for line in comparison.left_out
    ]
    assert all("pip install" in line for line in comparison.left_out)


def test_unknown_names_and_empty_folders_are_refused(tmp_path):
    """If it fails, a slip leaves a system out of the comparison."""
    with pytest.raises(InputError, match="known are streetai, classic"):
        select_timed(["zep"], Config())
    with pytest.raises(InputError, match="there is no streetai-memory"):
        use_published(tmp_path)


def test_the_command_prints_and_saves_the_comparison(tmp_path):
    """If it fails, `streetai bench speed --systems` tells nobody anything."""
    out = tmp_path / "out"
    options = ["--sizes", "20", "--repeats", "2", "--systems", "streetai,classic", "--out", str(out)]
    done = CliRunner().invoke(main, ["bench", "speed", *options])
    assert (0, "") == (done.exit_code, done.stderr)
    for text in ("build_prompt", "classic", "times CPU", "MB on disk", "fsync"):
        assert text in done.stdout
    assert "streetai" == json.loads((out / "speed-systems.json").read_text(encoding="utf-8"))["compared_with"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--systems", "zep"], "there is no system zep"),
        (["--published", "nowhere"], "--published and --data go with --systems"),
        (["--data", "nowhere.json"], "--published and --data go with --systems"),
        (["--systems", "streetai", "--data", "nowhere.json"], "nowhere.json"),
        (["--systems", ","], "give at least one name"),
        (["--systems", "streetai", "--published", "nowhere"], "there is no streetai-memory in 'nowhere'"),
    ],
)
def test_wrong_options_are_one_line(options, named):
    """If it fails, a slip ends in a traceback."""
    done = CliRunner().invoke(main, ["bench", "speed", *options])
    assert done.exit_code != 0
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_missing_first_system_cannot_be_compared_with_is_the_next_one(monkeypatch):
    """If it fails, one system that is not installed takes all ratios away."""
    monkeypatch.setitem(sys.modules, "mem0", None)
    systems = select_timed(["mem0", "classic"], Config())
    report = comparison_report(compare_speed(systems, sizes=[20], repeats=2), systems)
    assert ("classic", 1) == (report["compared_with"], len(report["left_out"]))
    assert all(one["times_wall"] == 1.0 for one in report["timings"])
