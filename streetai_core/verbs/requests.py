"""What a prompt is asked for: the arguments of `build_prompt`, checked and cleaned."""

from __future__ import annotations

from collections.abc import Callable, Collection

from streetai_core.errors import InputError
from streetai_core.prompt.building import PromptRequest
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.verbs.arguments import check_count, check_text, texts


def prompt_request(
    user_message: str,
    *,
    system: str | None,
    token_budget: int | None,
    conversation_id: str | None,
    shown: Collection[str] | None,
    recall_fits: Callable[[str], bool] | None,
) -> PromptRequest:
    """What a prompt is asked for, checked and cleaned; the arguments are those of `build_prompt`.

    Raises:
        InputError: the message is blank, or an argument is of the wrong kind.
    """
    if not isinstance(user_message, str) or is_blank(user_message):
        raise InputError("user_message must be text that is not blank")
    check_count(token_budget, "token_budget")
    if system is not None:
        check_text(system, "system")
    if recall_fits is not None and not callable(recall_fits):
        raise InputError(f"recall_fits must be None or a function of a text, got {type(recall_fits).__name__}")
    return PromptRequest(
        question=clean(user_message)[0],
        system=None if system is None else clean(system)[0],
        token_budget=token_budget,
        conversation_id=None if conversation_id is None else check_id(conversation_id, "conversation_id"),
        shown=None if shown is None else texts(shown),
        recall_fits=recall_fits,
    )
