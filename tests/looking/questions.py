"""Random questions about a conversation, made of what was said in it."""

OPENINGS = ("", "What about", "When was", "Who said", "Where is", "How many", "What did Mara say last Saturday about")


def random_questions(texts, number, random):
    """`number` questions: spans of the texts, as said or shuffled, some with a question word, a name or a time."""
    for _ in range(number):
        words = random.choice(texts).split()
        start = random.randrange(len(words))
        span = words[start : start + random.randint(1, 14)]
        if random.random() < 0.3:
            random.shuffle(span)
        yield f"{random.choice(OPENINGS)} {' '.join(span)}?".strip()
