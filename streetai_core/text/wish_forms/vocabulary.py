"""Words that several forms of wishes are made of, as patterns."""

from __future__ import annotations

START = "\x01"
"""Stands in a text where an order may begin, for forms that begin with it."""

STARTS = r"(?:[.!?;:,\n(]|\b(?:and|but|so|also|please|pls|plz|just|ok|okay|oh|btw|hey|thing|note)\b[,:]?)\s{0,3}"
"""Behind what an order may begin, besides the text: a sentence, a part of one, or a word that leads over to it."""

MEASURE = (
    r"(?:metric|imperial|celsius|centigrade|fahrenheit|(?:centi|kilo|milli)?met(?:er|re)s|miles|yards|feet|inches|"
    r"kilos|kilograms|grams|pounds|ounces|lit(?:er|re)s|gallons|cups|euros?|dollars?|francs?|kron(?:er|or)|sterling|"
    r"yen|rupees|(?:24|12)[ -]hour|military time|UTC|GMT|CET|EST|PST|(?:British|American|Canadian|"
    r"Australian) (?:English|spelling)|tabs|spaces|(?:single|double) quotes|camel ?case|snake ?case|plain (?:text|"
    r"English)|ISO dates)"
)
"""What figures are put in, and code and English."""

LANGUAGE = (
    r"(?:Arabic|British|Catalan|Chinese|Czech|Danish|Dutch|English|Finnish|French|German|Greek|Hebrew|Hindi|Hungarian|"
    r"Italian|Japanese|Korean|Latin|Norwegian|Polish|Portuguese|Romanian|Russian|Spanish|Swedish|Turkish|Ukrainian|"
    r"Welsh)"
)

PIECE_WORDS = (
    "amounts answers captions changes citations code comments commit_messages currencies dates distances docstrings "
    "drafts e-mails emails examples explanations figures formulas headings headlines identifiers instructions letters "
    "lists mails measurements names numbers paragraphs prices queries quotes recipes replies responses scripts "
    "sentences snippets sources steps subject_lines suggestions summaries tables temperatures texts times titles "
    "translations units weights"
)
"""What answers are made of, each in the plural."""

PIECES = f"(?:{'|'.join(PIECE_WORDS.split()).replace('_', ' ')})"

PIECE = (
    r"(?:answer|chapter|claim|class|code block|comment|commit|e-?mail|example|explanation|figure|file|function|"
    r"heading|idea|letter|line|list|message|method|module|page|paragraph|price|query|question|quote|recipe|reply|"
    r"response|script|section|sentence|slide|snippet|statement|step|suggestion|summary|table|test|text|word)s?"
)

STYLE = (
    r"(?:abbreviations|acronyms|adverbs|all caps|anglicisms|apologies|apologi[sz]ing|ascii art|basics|bold|"
    r"bullet(?: points| lists)?s?|buzzwords?|caveats|cheerleading|chit-?chat|clich[eé]s|code blocks|compliments|"
    r"corporate|dashes|dependencies|explanations|disclaimers?|emojis?|exclamation (?:marks|points)|fillers?|flattery|"
    r"fluff|formalit(?:y|ies)|footnotes|formulas|greetings|hashtags|headers|headings|hedging|html|idioms|intros?|"
    r"introductions?|jargon|jokes|latex|lectur(?:es?|ing)|legalese|libraries|frameworks|plug-?ins|long (?:answers|"
    r"explanations|mails|paragraphs|replies|sentences|texts)|markdown|metaphors|moralis\w+|nicknames|outros?|padding|"
    r"pep talks?|pleasantries|praise|preambles?|profanity|puns|recaps?|repetitions?|rhetorical|sarcasm|semicolons|"
    r"sermons?|sign-?offs?|slang|small talk|smileys?|speak|spoilers?|sugar-?coating|swear ?words|swearing|tables|"
    r"trivia|waffle|waffling|walls? of text|warnings?)\b"
)
"""What may be too much of in an answer."""

ILL = (
    r"(?:allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegans?|vegetarians?|pescatarians?|coeliac|celiac|halal|kosher|dyslexic|"
    r"diabetics?|colou?r[- ]?blind|teetotal|wheelchair)\b"
)
"""What binds every suggestion, whoever of a household has it."""

GOODS = (
    r"(?:admin rights|air ?con\w*|balcony|bath(?:tub)?|bike|blender|car|credit card|dishwasher|driv\w+ licen[cs]e|"
    r"dryer|elevator|freezer|fridge|garage|garden|gpu|grill|gym|heating|hobs?|internet|kitchen|licen[cs]e|lift|"
    r"microwave|mixer|oven|printer|scales?|smart ?phone|stove|tablet|tumble dryer|tv|television|washing machine|"
    r"wi-?fi|yard|sense of (?:direction|smell|taste)|gall ?bladder|spleen|thyroid)\b"
)
"""What one may have to do without."""
