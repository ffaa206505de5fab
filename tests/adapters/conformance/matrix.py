"""The rows of the matrix."""

from tests.adapters.conformance import anthropic_rows, gemini_rows
from tests.adapters.conformance.openai_rows import Chat, Responses

ROWS = [
    Chat(),
    Responses(),
    anthropic_rows.Messages(),
    anthropic_rows.BetaMessages(),
    gemini_rows.Models(),
    gemini_rows.Chats(),
]
