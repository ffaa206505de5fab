"""What memories were asked: each recall once, however often the question is looked up for it."""

from streetai_core import MemoryObserver


class Asked(MemoryObserver):
    """Keeps the questions, oldest first."""

    def __init__(self):
        self.questions = []
        self.times = []
        """When each was asked, as the verb was told; `None`: it was not."""

    def on_recall(self, operation):
        """A prompt takes the message of the user, a retriever the question."""
        given = operation.arguments
        self.times.append(given.get("asked_at"))
        self.questions.append(given["user_message"] if operation.verb == "build_prompt" else given["question"])
