"""The page: whole, static, and nothing on it but text, whatever was said."""

import re
import shutil
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser

import pytest

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.report import report
from streetai_core.report.curves import weight_curve
from streetai_core.report.pictures import ticks
from streetai_core.report.savings import replay
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import EstimatedTokens
from tests.encoders.failing import Breakable
from tests.report.conftest import HOSTILE, fill

SECTIONS = ["Stacks", "Weights", "Savings", "Recall log", "Health"]
NEVER = {"script", "iframe", "img", "a", "link", "object", "embed", "form", "base", "audio", "video", "image", "use"}
VOID = {"meta"}


class Page(HTMLParser):
    """The structure of a page: tags with their attributes, headings, all text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.headings, self.text, self.open = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Note a tag."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        """Every tag is closed in its order."""
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        """A tag of a picture that has nothing inside."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        """Note text, and of headings that they are some."""
        if self.open[-1:] == ["h2"]:
            self.headings.append(data)
        self.text.append(data)


def made(path, **options):
    """The page of the only memory of a file."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        [memory_id] = registry.ids()
        return report(registry, memory_id, **options)


def test_hostile_content_is_text_and_nothing_else(hostile_file):
    """No tag and no attribute of theirs; every tag closed; nothing that is invisible."""
    found = Page(made(hostile_file))
    assert found.headings == SECTIONS
    assert found.open == []
    assert not NEVER & set(found.tags)
    assert {tag for tag in found.tags if tag not in {"svg", "path", "circle", "polyline", "text", "desc", "title"}} == {
        *("html", "head", "meta", "style", "body", "section", "h1", "h2", "p", "table", "thead", "tbody"),
        *("tr", "th", "td", "ul", "li", "footer"),
    }
    assert not [one for one in found.attributes if one[1].startswith("on") or one[1] in {"href", "src", "style"}]
    assert found.tags.count("style") == 1
    text = "".join(found.text)
    assert "<script>document.title='owned'</script>" in text
    assert "[U+202E]olleh[U+202C]" in text
    assert not [one for one in text if not one.isprintable() and one != "\n"]


def test_a_browser_shows_it_as_text(hostile_file, tmp_path, browser):
    """Nothing ran: the title is ours, and the document has no element that was said."""
    path = tmp_path / "memory.html"
    path.write_text(made(hostile_file), encoding="utf-8")
    document = browser(path)
    title = re.search(r"<title>(.*?)</title>", document, re.DOTALL)[1]
    assert title.startswith("Memory &lt;script&gt;")
    assert "owned" in title
    assert not re.search(r"<(script|iframe|img|a|form|object)\b", document)
    assert all(f"<h2>{name}</h2>" in document for name in SECTIONS)
    assert document.count("<style>") == 1


def test_a_browser_refuses_what_the_policy_forbids(hostile_file, tmp_path, browser):
    """Even a script that somebody puts into the finished page does not run."""
    path = tmp_path / "memory.html"
    changed = made(hostile_file).replace("<h1>", "<script>document.title='ran'</script><h1 onclick=x>", 1)
    path.write_text(changed, encoding="utf-8")
    assert "<title>Memory " in browser(path)
    unguarded = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", changed)
    path.write_text(unguarded, encoding="utf-8")
    assert "<title>ran</title>" in browser(path)


def test_a_time_stands_with_its_distance_from_utc():
    """As on the command line: a page is read by somebody in another zone than the server's."""
    evening = datetime(2026, 3, 1, 23, 30, tzinfo=timezone(-timedelta(hours=7)))
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), clock=lambda: evening) as registry:
        fill(registry.get("mara"), ["My boat lies at berth 31."])
        assert "<td>2026-03-02 06:30+00:00</td>" in report(registry, "mara")


def test_the_page_is_the_same_again(hostile_file):
    """Two runs on one file differ in nothing."""
    now = datetime(2026, 3, 2, tzinfo=timezone.utc)
    assert made(hostile_file, now=now) == made(hostile_file, now=now)
    assert "on 2026-03-02." in made(hostile_file, now=now, replayed=0)


def test_it_tells_what_the_memory_tells(tmp_path):
    """Counts, log entries and curves are those of the memory."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        fill(memory, ["my boat Kestrel lies at berth 31", "the party needs chairs", "the knee hurts"])
        page_ = report(registry, "m")
        stats, history = memory.stats(), memory.history()
        text = "".join(Page(page_).text)
        assert f"{stats['messages']}, {stats['total_signals']}, {stats['stacks']}" in text
        assert f"The newest {len(history)} of {len(history)} entries." in text
        assert text.count("sent, and the reply used it") == sum("boost" in entry.events for entry in history)
        assert page_.count("<circle ") >= stats["total_signals"]
        assert page_.count("<polyline ") == stats["total_signals"] + 4
        assert "the 6 stored messages were played again" in text
        assert re.search(r"6 messages in 3 conversations, on [-0-9]{10}\. \d+ signals? can be recalled", text)
        assert memory.stats() == stats


def test_a_long_memory_plays_the_newest_messages(hostile_file):
    """And says so."""
    assert "so the newest 5 of the 24 stored messages were played again" in made(hostile_file, replayed=5)


def test_a_memory_of_several_conversations_is_compared_with_one_of_them_too(tmp_path):
    """An app without a memory sends the conversation, not all that was ever said."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        for number in range(4):
            memory.add_message(f"my boat Kestrel lies at berth {number}", "user", conversation_id=str(number % 2))
        turns = replay(memory.messages(), registry.config, registry.encoder)
        page = report(registry, "m")
    assert [turn.conversation for turn in turns] == [turns[0].history, turns[0].history, *[turns[1].history] * 2]
    history, alone = sum(turn.history for turn in turns), sum(turn.conversation for turn in turns)
    assert f"in place of {history:,} with all that was said before each message" in page
    assert f"or of {alone:,} with its own conversation only" in page
    assert page.count("</polyline>") == 4 + 4


def test_a_replay_believes_what_the_memory_believes(tmp_path):
    """Who wrote a message, and how far it may be believed, is as it was stored; so is the prompt."""
    question = "Which berth is free in Kiel?"
    flyer = {"source": "document", "trust": 0.0, "writer": "flyer", "conversation_id": "flyer"}
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), token_counter=EstimatedTokens()) as registry:
        memory = registry.get("m")
        for number in range(40):
            said = f"berth {number} of pier {number * 7} is free in Kiel at {number * 3} euros a night, with water"
            memory.add_message(said, "user", **flyer)
        sent = memory.build_prompt(question).inspector["tokens_sent"]
        memory.add_message(question, "user")
        believed = [replace(one, source="user", trust=1.0, writer=None) for one in memory.messages()]
        assert sent == replay(memory.messages(), registry.config, registry.encoder)[-1].sent
        assert sent != replay(believed, registry.config, registry.encoder)[-1].sent


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "9", None])
def test_how_many_messages_are_played_is_a_count(hostile_file, wrong):
    """Nothing else is."""
    with pytest.raises(InputError, match="replayed"):
        made(hostile_file, replayed=wrong)


def test_an_empty_memory_has_a_page(tmp_path):
    """After its only message was deleted, and after a reset."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        registry.get("m").add_message("one", "user", message_id="1")
        registry.get("m").delete_message("1")
        emptied = report(registry, "m")
        registry.reset("m")
        assert Page(emptied).headings == Page(report(registry, "m")).headings == SECTIONS


def test_an_encoder_that_fails_costs_one_section(hostile_file):
    """The page says what is missing."""
    encoder = Breakable()
    encoder.broken = True
    with MemoryRegistry(hostile_file, encoder=encoder) as registry:
        [memory_id] = registry.ids()
        found = Page(report(registry, memory_id))
    assert found.headings == SECTIONS
    assert "The messages could not be played again: " in "".join(found.text)


def test_another_encoder_is_something_to_look_at(hostile_file):
    """The page is made all the same."""
    with MemoryRegistry(hostile_file, encoder=HashingEncoder(dim=64)) as registry:
        [memory_id] = registry.ids()
        text = "".join(Page(report(registry, memory_id, replayed=0)).text)
    assert "look at it" in text
    assert "Not asked for." in text


@pytest.mark.parametrize("unknown", ["nobody", ""])
def test_an_unknown_memory_is_an_error(hostile_file, unknown):
    """Nothing is made by asking for it."""
    with (
        MemoryRegistry(hostile_file, encoder=HashingEncoder()) as registry,
        pytest.raises(InputError, match="memory_id"),
    ):
        report(registry, unknown)


def test_what_is_played_again_is_what_was_sent(tmp_path):
    """The tokens of every prompt, of the history and of the window, as an app would have counted them."""
    config = Config()
    sent, history = [], []
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=config) as registry:
        memory = registry.get("m")
        for number in range(20):
            question = f"What about berth number {number}, and everything else? " * 12
            inspector = memory.build_prompt(question).inspector
            sent.append(inspector["tokens_sent"])
            history.append(inspector["tokens_full_history"])
            memory.add_message(question, "user")
            memory.add_message(f"Berth {number} is free. " * 9, "assistant")
        turns = replay(memory.messages(), config, HashingEncoder())
    assert [turn.sent for turn in turns] == sent
    assert [turn.history for turn in turns] == history
    assert [turn.window for turn in turns[:6]] == history[:6]
    assert all(turn.window < turn.history for turn in turns[6:])


def test_a_curve_ends_at_the_weight_that_the_memory_has():
    """Fading and steps, played from the log, give what the memory computes."""
    config = Config(decay_rate=0.05, low_relevance=0.45)
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    fill(memory, ["my boat Kestrel lies at berth 31", "the party needs chairs", "the knee hurts", "rain again"])
    memory.update_message(memory.messages()[2].message_id, "the party needs benches, and chairs, for the boat")
    memory.post_process(memory.retrieve("Where is my boat?"), "Your boat Kestrel lies at berth 31")
    turn = memory.stats()["turn_counter"]
    assert {"boost", "edit"} <= {event for entry in memory.history() for event in entry.events}
    for signal in memory.signals:
        curve = weight_curve(signal, memory.history(signal), turn, config.decay_rate)
        assert curve.turns[-1] == turn
        assert curve.weights[-1] == pytest.approx(signal.effective_weight(turn, config.decay_rate))
        assert list(curve.turns) == sorted(curve.turns)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (0, 1.2, [0, 0.25, 0.5, 0.75, 1.0]),
        (-0.6, 0.5, [-0.5, -0.25, 0, 0.25, 0.5]),
        (0, 14_624, [0, 5_000, 10_000]),
        (1e-9, 2e-9, [1e-9, 1.2e-9, 1.4e-9, 1.6e-9, 1.8e-9, 2e-9]),
    ],
)
def test_ticks_are_round_numbers(low, high, expected):
    """Inside the range."""
    assert ticks(low, high) == pytest.approx(expected)


def test_making_a_page_changes_nothing(hostile_file, tmp_path):
    """Not a byte of the file, and no memory's id stands in it unescaped."""
    path = tmp_path / "copy.db"
    shutil.copy(hostile_file, path)
    before = path.read_bytes()
    assert HOSTILE[:9] not in made(path, replayed=0)
    assert path.read_bytes() == before
