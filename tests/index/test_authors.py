"""Whom a question names is looked up by its words: no name is tried of which nothing is said."""

from __future__ import annotations

import threading
from typing import ClassVar

import pytest

from streetai_core.index.authors import Authors
from streetai_core.index.words import WordIndex
from streetai_core.recall.naming import named
from streetai_core.text.names import SaidWords, naming_words, said_words
from streetai_core.types import ROLES
from tests.index.test_words import Line, entry

MANY = 300


def said_by(names):
    """An index of a message by each of these."""
    index = WordIndex()
    index.put_all([entry(Line(number, None, (1,)), author=name) for number, name in enumerate(names)])
    return index


def worked_out():
    """How often it was asked by what somebody is named."""
    known = naming_words.cache_info()
    return known.hits + known.misses


def test_a_question_does_not_work_out_the_names_of_all():
    """A group of thousands overflows what is remembered of names, and a question asks several times."""
    index = said_by(f"Name{number} Lind" for number in range(MANY))
    before = worked_out()
    assert named(index, said_words("What did Name7 tell name250?")) == {"Name7 Lind": 7, "Name250 Lind": 250}
    assert named(index, said_words("What did Lind say?")) == {}
    assert worked_out() == before


def test_a_message_works_out_the_name_of_a_new_author_only():
    """Adding must cost the same however many have spoken."""
    index = said_by(f"Name{number}" for number in range(MANY))
    before = worked_out()
    index.put(entry(Line(MANY, None, (1,)), author="Name7"))
    assert worked_out() == before
    index.put(entry(Line(MANY + 1, None, (1,)), author="Nora"))
    assert worked_out() == before + 1
    assert named(index, said_words("Nora?")) == {"Nora": MANY}


class Tried(SaidWords):
    """Words that count what is tried on them."""

    tried: ClassVar[list[object]] = []

    def have(self, naming):
        """As those that do not count."""
        self.tried.append(naming)
        return super().have(naming)


@pytest.mark.parametrize("name", ["User {}", "Will x{}", "{} Speaker", "Guest User {}"])
def test_a_word_that_all_names_have_tries_few_of_them(name):
    """Names that an app gives differ in a number only, and questions speak of users and of what will be."""
    authors = Authors(name.format(number) for number in range(MANY))
    Tried.tried.clear()
    question = said_words(f"Will the Guest User or the Speaker say what {name.format(7)} said?")
    assert authors.named(Tried(question.every, question.capital)) == {name.format(7): 7}
    assert len(Tried.tried) < 10


def test_authors_with_the_same_words_are_tried_once():
    """There may be many with one first name; all of them are named by it, in the order in which they came."""
    authors = Authors(f"Nora {number}" for number in range(MANY))
    Tried.tried.clear()
    assert list(authors.named(Tried(frozenset({"nora"}))).items()) == [(f"Nora {n}", n) for n in range(MANY)]
    assert len(Tried.tried) == 1


def test_an_index_that_is_restored_knows_who_is_named():
    """As one that was filled message by message: a large memory is opened from an image."""
    index = said_by(["Nora Lind", "Ben", "Project Manager"])
    index.put(entry(Line(3, None, (1,)), author="weather", role=ROLES.index("tool")))
    restored = WordIndex()
    restored.restore(*index.image())
    for one in (index, restored):
        assert named(one, said_words("Did the Project Manager ask Nora of the weather?")) == {
            "Nora Lind": 0,
            "Project Manager": 2,
        }


def test_one_thread_asks_while_another_one_adds():
    """No question may fail at a name that comes meanwhile, and no name may be lost."""
    index, failed = WordIndex(), []
    words = said_words("Nora, and User 7?")

    def ask():
        try:
            while len(index.authors) < 2 * MANY:
                assert all(words.name(name) for name in named(index, words))
        except Exception as error:  # noqa: BLE001 - counted below
            failed.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    for number in range(MANY):
        for place, name in enumerate((f"Nora {number}", f"User {number}")):
            index.put(entry(Line(2 * number + place, None, (1,)), author=name))
    asking.join()
    assert failed == []
    assert list(named(index, words)) == [name for name in index.authors if words.name(name)]
