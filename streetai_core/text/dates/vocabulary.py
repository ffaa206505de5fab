"""The words that name times, each with its kind and its value."""

from __future__ import annotations

from typing import Final

from streetai_core.text.dates.numbers import CARDINALS, DECADE_WORDS, ORDINALS

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_SHORT_MONTHS = {
    **{name[:3].lower(): number for number, name in enumerate(MONTHS, 1) if name != "May"},
    "sept": 9,
}
_MISSPELLED_MONTHS = {"janurary": 1, "febuary": 2, "feburary": 2, "agust": 8, "septmber": 9, "novemeber": 11}
_MISSPELLED_WEEKDAYS = {
    **dict.fromkeys(("tuseday", "teusday", "tusday"), 1),
    **dict.fromkeys(("wensday", "wendsday", "wednsday", "wedneday", "wednessday"), 2),
    **dict.fromkeys(("thrusday", "thurday", "thurdsay", "thirsday"), 3),
    "firday": 4,
    **dict.fromkeys(("saterday", "satuday", "staurday"), 5),
}
_SHORT_WEEKDAYS = {
    **{name[:3].lower(): number for number, name in enumerate(WEEKDAYS)},
    "tues": 1,
    "weds": 2,
    "thur": 3,
    "thurs": 3,
}
UNTIL = frozenset({"until", "till", "til"})
"""Words behind which something ends."""

SHORT = frozenset((*_SHORT_MONTHS, *_SHORT_WEEKDAYS))
"""Abbreviations: a full stop may follow, and some of them are ordinary words or names."""

DOUBTFUL_MONTHS = frozenset({"may", "march", "mar", "jan", "jun"})
"""Months that are also verbs or first names, where nobody wrote a capital."""

_UNITS = {
    "day": ("day", "days"),
    "workday": ("workday", "workdays"),
    "week": ("week", "weeks", "wk", "wks"),
    "fortnight": ("fortnight", "fortnights"),
    "weekend": ("weekend", "weekends", "wknd", "wkend"),
    "month": ("month", "months"),
    "quarter": ("quarter", "quarters"),
    "year": ("year", "years", "yr", "yrs"),
    "decade": ("decade", "decades"),
    "century": ("century", "centuries"),
    "hour": ("hour", "hours", "hr", "hrs"),
    "minute": ("minute", "minutes", "min", "mins"),
}
_PARTS = "morning afternoon evening night noon midday midnight lunchtime"
_SEASONS = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter"}
_DAYS = {
    **dict.fromkeys(("today", "tonight", "tonite", "2day", "2nite", "2night"), 0),
    **dict.fromkeys(("yesterday", "yesteday", "yest", "yday"), -1),
    **dict.fromkeys(("tomorrow", "tomorow", "tommorow", "tommorrow", "tmrw", "tmr", "tmw", "tomoz"), 1),
    **dict.fromkeys(("2moro", "2moz", "2mrw", "2morrow"), 1),
    "overmorrow": 2,
}

HOLIDAY_PHRASES: dict[str, str] = {
    "new year's eve": "new year's eve",
    "new years eve": "new year's eve",
    "new year eve": "new year's eve",
    "nye": "new year's eve",
    "new year's day": "new year",
    "new years day": "new year",
    "new year's": "new year",
    "new years": "new year",
    "new year": "new year",
    "turn of the year": "new year",
    "valentine's day": "valentine",
    "valentines day": "valentine",
    "valentine's": "valentine",
    "valentines": "valentine",
    "st patrick's": "st patrick",
    "st paddy's day": "st patrick",
    "st patrick's day": "st patrick",
    "st patricks day": "st patrick",
    "saint patrick's day": "st patrick",
    "palm sunday": "palm sunday",
    "good friday": "good friday",
    "shrove tuesday": "shrove tuesday",
    "pancake day": "shrove tuesday",
    "mardi gras": "shrove tuesday",
    "fat tuesday": "shrove tuesday",
    "ash wednesday": "ash wednesday",
    "maundy thursday": "maundy thursday",
    "ascension day": "ascension",
    "pentecost": "pentecost",
    "whit sunday": "pentecost",
    "whitsun": "pentecost",
    "whit monday": "whit monday",
    "corpus christi": "corpus christi",
    "epiphany": "epiphany",
    "burns night": "burns night",
    "groundhog day": "groundhog day",
    "earth day": "earth day",
    "martin luther king day": "mlk day",
    "martin luther king jr day": "mlk day",
    "mlk day": "mlk day",
    "australia day": "australia day",
    "presidents' day": "presidents day",
    "presidents day": "presidents day",
    "leap day": "leap day",
    "women's day": "women's day",
    "pi day": "pi day",
    "st david's day": "st david",
    "st george's day": "st george",
    "st andrew's day": "st andrew",
    "tax day": "tax day",
    "patriots' day": "patriots day",
    "patriots day": "patriots day",
    "st stephen's day": "boxing day",
    "king's day": "king's day",
    "cinco de mayo": "cinco de mayo",
    "ve day": "ve day",
    "early may bank holiday": "may bank holiday",
    "may day": "may day",
    "may bank holiday": "may bank holiday",
    "spring bank holiday": "memorial day",
    "late may bank holiday": "memorial day",
    "late august bank holiday": "august bank holiday",
    "august bank holiday": "august bank holiday",
    "summer bank holiday": "august bank holiday",
    "columbus day": "columbus day",
    "indigenous peoples' day": "columbus day",
    "midsummer's day": "midsummer",
    "midsummer": "midsummer",
    "day of the dead": "all souls",
    "election day": "election day",
    "remembrance day": "veterans day",
    "armistice day": "veterans day",
    "remembrance sunday": "remembrance sunday",
    "st nicholas day": "st nicholas",
    "twelfth night": "twelfth night",
    "anzac day": "anzac day",
    "canada day": "canada day",
    "bastille day": "bastille day",
    "all saints' day": "all saints",
    "all saints day": "all saints",
    "all souls' day": "all souls",
    "all souls day": "all souls",
    "bonfire night": "bonfire night",
    "guy fawkes night": "bonfire night",
    "easter sunday": "easter",
    "easter monday": "easter monday",
    "easter bank holiday": "easter monday",
    "easter": "easter",
    "mothering sunday": "mothering sunday",
    "april fools' day": "april fools",
    "april fool's day": "april fools",
    "april fools day": "april fools",
    "april fools": "april fools",
    "mother's day": "mother",
    "mothers day": "mother",
    "father's day": "father",
    "fathers day": "father",
    "memorial day": "memorial day",
    "juneteenth": "juneteenth",
    "independence day": "independence day",
    "labor day": "labor day",
    "labour day": "labor day",
    "halloween": "halloween",
    "veterans day": "veterans day",
    "thanksgiving day": "thanksgiving",
    "thanksgiving": "thanksgiving",
    "black friday": "black friday",
    "cyber monday": "cyber monday",
    "advent sunday": "advent sunday",
    "first sunday of advent": "advent sunday",
    "christmas eve": "christmas eve",
    "xmas eve": "christmas eve",
    "christmas eve eve": "christmas eve eve",
    "christmas day": "christmas",
    "christmas": "christmas",
    "xmas day": "christmas",
    "xmas": "christmas",
    "boxing day": "boxing day",
    "chinese new year": "lunar new year",
    "lunar new year": "lunar new year",
    "holi": "holi",
    "diwali": "diwali",
    "deepavali": "diwali",
    "ramadan": "ramadan",
    "eid al - fitr": "eid al-fitr",
    "eid al fitr": "eid al-fitr",
    "eid ul fitr": "eid al-fitr",
    "eid al - adha": "eid al-adha",
    "eid al adha": "eid al-adha",
    "eid ul adha": "eid al-adha",
    "purim": "purim",
    "passover": "passover",
    "pesach": "passover",
    "rosh hashanah": "rosh hashanah",
    "rosh hashana": "rosh hashanah",
    "yom kippur": "yom kippur",
    "hanukkah": "hanukkah",
    "hanukah": "hanukkah",
    "chanukah": "hanukkah",
}
"""How holidays are written, with their keys in `calendars.HOLIDAYS`."""

Value = int | str

PHRASES: dict[str, tuple[str, Value]] = {
    **{phrase: ("holiday", key) for phrase, key in HOLIDAY_PHRASES.items()},
    **{f"{word} day{many}": ("unit", "workday") for word in ("business", "working", "work") for many in ("", "s")},
    "financial year": ("unit", "financial year"),
    "tax year": ("unit", "tax year"),
    "last but one": ("ordinal", -2),
    **dict.fromkeys(("close of business", "close of play", "end of play"), ("shorthand", "day")),
    **dict.fromkeys(("latter part", "tail end", "back end"), ("edge", "late")),
    "early part": ("edge", "early"),
    **{f"{word}{joint}to{joint}last": ("ordinal", -2) for word in ("second", "next") for joint in (" ", " - ")},
}
"""Kind and value of what is written in several words; matched longest first."""

_GROUPS: Final[tuple[tuple[str, dict[str, Value]], ...]] = (
    ("cardinal", {**CARDINALS}),
    ("ordinal", {**ORDINALS, "final": -1, "penultimate": -2}),
    ("decade", {**DECADE_WORDS}),
    ("unit", {word: unit for unit, words in _UNITS.items() for word in words}),
    ("part", {**{word: word for word in _PARTS.split()}, "nite": "night"}),
    ("season", {**_SEASONS}),
    ("day", {**_DAYS}),
    ("weekdays", {f"{name.lower()}s": number for number, name in enumerate(WEEKDAYS)}),
    ("seasons", {f"{word}s": season for word, season in _SEASONS.items() if word != "fall"}),
    ("holidays", {"christmases": "christmas", "easters": "easter", "thanksgivings": "thanksgiving"}),
    ("shorthand", {"eod": "day", "cob": "day", "eow": "week", "eom": "month", "eoq": "quarter", "eoy": "year"}),
    (
        "weekday",
        {**_SHORT_WEEKDAYS, **_MISSPELLED_WEEKDAYS, **{name.lower(): number for number, name in enumerate(WEEKDAYS)}},
    ),
    (
        "month",
        {**_SHORT_MONTHS, **_MISSPELLED_MONTHS, **{name.lower(): number for number, name in enumerate(MONTHS, 1)}},
    ),
    ("quarter", {f"q{number}": number for number in range(1, 5)}),
    ("half-year", {"h1": 1, "h2": 2}),
    ("article", {"a": 1, "an": 1}),
    ("vague", {word: word for word in ("couple", "few", "several")}),
    ("half", {"half": 1}),
    ("shift", {"last": -1, "lst": -1, "previous": -1, "prev": -1, "past": -1, "this": 0, "current": 0}),
    ("shift", {"next": 1, "nxt": 1, "coming": 1, "upcoming": 1}),
    ("early", {"early": "early", "mid": "mid", "midweek": "mid", "halfway": "mid", "late": "late"}),
    ("edge", {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}),
    ("nearer", {"earlier": -1, "later": 1, "rest": 1, "remainder": 1, "left": 1}),
    ("ago", {"ago": -1, "back": -1, "now": -1}),
    ("side", {"before": -1, "preceding": -1, "after": 1, "following": 1}),
    ("from", {"from": 1}),
    ("between", {"between": 1}),
    ("to", {word: word for word in ("to", "through", "thru", *UNTIL)}),
    ("and", {"and": "and", "or": "or"}),
    ("of", {"of": "of"}),
    ("in", {"in": "in", "within": "within"}),
    ("on", {word: word for word in ("on", "at", "by", "since", "during", "around", "over", "throughout", "for")}),
    ("the", {"the": 1}),
    ("other", {"other": 1}),
    ("another", {"another": 1}),
    ("every", dict.fromkeys(("every", "each", "most", "some", "any", "per", "many", "no"), 1)),
    ("so", {"so": 1, "more": 1}),
    ("filler", dict.fromkeys(("short", "good", "whole", "full", "long"), 1)),
    ("about", dict.fromkeys(("about", "roughly", "approximately", "nearly", "almost", "just", "only", "exactly"), 1)),
)

VOCABULARY: dict[str, tuple[str, Value]] = {
    word: (kind, value) for kind, words in _GROUPS for word, value in words.items()
}
"""Kind and value of every word the rules know."""

_ANCHOR_KINDS = frozenset(
    {
        "unit",
        "weekdays",
        "seasons",
        "holidays",
        "shorthand",
        "season",
        "day",
        "weekday",
        "month",
        "quarter",
        "half-year",
        "decade",
        "part",
    }
)

_UNITS_AND_DAYS = frozenset(word for word, (kind, _) in VOCABULARY.items() if kind in _ANCHOR_KINDS)

ANCHORS = (
    _UNITS_AND_DAYS
    | {"nights", "mornings", "evenings"}
    | {
        max(words, key=len).removesuffix("'s")
        for words in map(str.split, HOLIDAY_PHRASES)
        if _UNITS_AND_DAYS.isdisjoint(word.removesuffix("'s") for word in words)
    }
)
"""Words without which there is no time in a text; a holiday counts through the day, night or month in its name, or else
through its longest word."""
