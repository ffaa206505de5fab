"""What memories were asked: each recall once, however often the question is looked up for it."""

from streetai_core import MemoryObserver


class Asked(MemoryObserver):
    """Keeps the questions, oldest first."""

    def __init__(self):
        self.questions = []

    def on_recall(self, operation):
        """A prompt takes the message of the user, a retriever the question."""
        given = operation.arguments
        self.questions.append(given["user_message"] if operation.verb == "build_prompt" else given["question"])
