"""What is put like a wish and is none: wishes of others, past ones, what is wanted once, idioms."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import ILL

_OTHERS = (
    r"(?:aunt|boss|brother|buddy|client|co-?worker|colleague|cousin|dad|ex|father|flatmate|friend|gran|grandad|"
    r"grandfather|grandma|grandmother|grandpa|landlord|manager|mate|mom|mother|mum|nephew|neighbou?r|niece|pal|"
    r"professor|roommate|sister|student|teacher|uncle)s?"
)
"""Whose wishes are not those of who tells of them."""

_ONCE = (
    r"(?:(?:just )?this once|this time|for once|for (?:this|that) (?:one|\w+)\b|in (?:this|that) (?:one )?\w+|"
    r"for (?:today|tonight|now)(?:'s \w+)?)"
)

NO_WISHES = (
    r"\bnever (?:been|had|heard|mind|say never|seen)\b",
    r"\bnever (?:ever )?(?:give|gave|giving) up\b",
    (
        r"\b(?:boss|brother|dad|he|husband|mom|mother|mum|she|sister|they|who|wife) (?:always |never )?(?:prefer|said|"
        r"say|tell|told|want)(?:s|ed|red)?\b"
    ),
    # Others, up to where it is about who tells it.
    (
        rf"(?<!with )\b(?:(?:my|his|her|our|their) (?:\w+ )?{_OTHERS}|an? (?:colleague|cousin|friend|"
        rf"neighbou?r))(?:'s)?(?! and I\b)(?: (?!(?:I|calls?|I'm|me|so|us|we)\b)[\w'-]+){{1,12}}"
    ),
    # What others said.
    r"[^.?!\n]{1,120}, (?:he|she|they|(?:my|the|our|his|her) \w+) (?:joked|laughed|said|says|shouted|told)\b",
    # What was.
    rf"\b(?:was|were|had|used to (?:be|have)) (?!diagnosed\b)(?:\w+ ){{0,2}}{ILL}",
    # What is asked about anybody.
    (
        rf"\b(?:how|what|why|when|where|who|which|is|are|do|does|can|could)(?: (?!(?:I|I'm|me|my|our|us|"
        rf"we)\b)[\w'-]+){{0,12}} {ILL}(?: (?!(?:I|I'm|me|my|our|us|we)\b)[\w'-]+){{0,12}} ?\?"
    ),
    # Once.
    rf"\b{_ONCE},? [^.?!,;\n]{{0,80}}",
    rf"\b(?:answer|call|explain|give|keep|make|no|put|reply|say|translate|use|write) [^.?!,;\n]{{1,60}} {_ONCE}",
    r"\b(?:I|we) can't \w+ [^.?!\n]{0,40}\b(?:tomorrow|tonight|today|this (?:evening|morning|week\w*))\b",
    r"\bI can't (?:bear|stand) [^.?!\n]{0,60}\b(?:any longer|at the moment|right now|this \w+|today|tonight)\b",
    r"\bprefer the (?:first|second|third|last|latter|former|other|latest|new|old|original)\b",
    r"\bI'd prefer the [^.?!\n]{0,80}\?",
    r"\b(?:rather|prefer) not (?:to )?(?:know|say|think)\b",
    r"\bI'd (?:rather|prefer) [^.?!\n]{1,60}\b(?:now|this \w+|today|tomorrow|tonight)\b",
    r"\bprefer (?:that|these|this|those)\b",
    r"\bI never \w+ (?:so|that|this) (?:many|much)\b",
    r"\bin a hurry[^.?!\n]{0,60}",
    # Of the world, not of answers.
    r"\bin the future,? (?:everybody|everyone|it|people|there|we)\b",
    r"\bby default,? (?:it|that|the|this)(?: \w+)? (?:are|does|gets|has|is|uses)\b",
    r"\bcan you always (?:be|buy|find|get|rely|see|tell|trust)\b",
    r"\b(?:hate|like|love) it when (?:he|it|my|she|the|they|we)\b",
    # Idioms.
    r"\bcan't have (?:been|done|heard|said|seen|\w+ed)\b",
    r"\b(?:don't|do not) have (?:any |an? )?(?:clue|ideas?|plans|problems?|questions?)\b",
    r"\bdon't (?:ask ?[.!]|make me (?:cry|laugh|wait)|tell me (?:he|it|she|they|you)\b)",
    r"\bstop (?:it|joking|kidding|teasing|that)(?: me)? ?(?:[.,!]|$)",
    r"\bcall me (?:a fool|crazy|mad|naive|old-fashioned|paranoid|picky|sentimental|silly|stupid)\b",
    r"\bthat (?:really )?drives me (?:crazy|insane|mad|nuts|up the wall) ?[.!]",
    r"\bno need to (?:hurry|panic|rush|thank|worry)\b",
    r"\bfrom now on,? (?:it|things|life|he|she|they)(?:'s|'ll| is| will| can| was)?\b",
    r"\bwhatever you (?:do|say)\b",
    r"\bkeep it (?:up|going|coming|real)\b|\bkeep (?:your|the) (?:chin|faith|spirits)\b",
    r"\bif (?:I|we) (?:ever )?need (?:any\w*|help|it|more|some\w*|you)\b",
    r"\bdon't (?:be (?:afraid|hard|late|long|scared|shy|silly|sorry|too hard|worried)|forget to|give up|quit on)\b",
)
"""What is taken out of a text before wishes are looked for again."""
