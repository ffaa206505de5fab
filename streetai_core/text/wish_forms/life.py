"""Habits, and what a life leaves no room for."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import GOODS, PIECES, START

_LIVING = (
    r"(?:(?:do|have|use)\b(?! (?:all|enough|it|much|that|the|them|this|time|to|your)\b)|(?:drink|drive|eat|fly|own|"
    r"smoke|stand|touch|wear)\b)"
)
"""What people do or leave alone, as a habit."""

_HABIT = (
    r"(?:bake|bike|book|buy|camp|code|commute|cook|cycle|drink|drive|eat|fly|holiday|listen|order|pay(?! for)|read|"
    r"ride|rent|run|shop|sleep|speak|swim|travel|understand|use|vacation|walk|watch|wear|write)\b"
)
"""What people do in a way of their own."""

_LETTING_BE = (
    r"(?:abstain from|avoid|boycott|refuse to|shun|stay (?:off|away from|clear of)|steer clear of|stick to|"
    r"keep away from|swear by|insist on)\b"
)
"""How people say what they leave alone, or keep to."""

LIFE = (
    ("_not_ n't_ dont_ cant_ never_", rf"\b(?:I|we) (?:do not|don't|dont|can't|cant|cannot|never|won't) {_LIVING}"),
    (
        "_not_ n't_ dont_ cant_ never_ no_longer_",
        (
            r"\b(?:I|we) (?:don't|dont|do not|never|no longer|won't) (?:buy|celebrate|cook|drink|eat|shop|smoke|speak|"
            r"support|travel|watch|work (?:after|at|before|evenings|fridays|mondays|nights|on|saturdays|sundays|"
            r"weekends|with))\b(?! (?:it|that|them|this)\b)"
        ),
    ),
    (
        "can't_ cant_ cannot_",
        (
            r"\b(?:I|we) (?:can't|cant|cannot) (?:afford|bend|digest|handle|have \w+ products|hear|kneel|lift|picture|"
            r"see well|see colou?rs?|smell|sit for|swallow|swim|tolerate|walk (?:far|long|more|uphill))\b(?! (?:it|"
            r"that|them|this|you)\b)"
        ),
    ),
    (
        "i_only_ we_only_",
        (
            rf"\b(?:I|we) only (?:ever \w+|{_HABIT}|get |know (?!about|how|of|that|the|what|when|who)\w+)(?! (?:it|"
            rf"that|them|this)\b)"
        ),
    ),
    (
        "i_only_have we_only_have",
        (
            rf"\b(?:I|we) only have (?:an?|one|two|the use of)(?: \w+)? (?:{GOODS}|air fryer|arm|bathroom|ear|eye|"
            rf"hand|kettle|kidney|leg|lung|pan|pot|ring|room|screen|wok)"
        ),
    ),
    ("i_always_ we_always_", rf"\b(?:I|we) always {_HABIT}"),
    (
        (
            "avoid_ boycott refuse_to shun_ stay_off stay_away stay_clear steer_clear stick_to keep_away swear_by "
            "insist_on abstain"
        ),
        (
            rf"\b(?:I|we)(?: \w+ly| always| still| try to| do| also)? {_LETTING_BE}(?! (?:her|him|it|that|them|this|"
            rf"you)\b)"
        ),
    ),
    (
        "won't_ wont_ will_not_ refuse_to",
        (
            r"\b(?:I|we) (?:won't|wont|will not|refuse to) (?:buy|book|deal with|eat|fly|fund|go (?:above|below|over|"
            r"under)|have anything to do with|pay|rent|set foot|shop|spend|stay|support|take (?:planes|pills)|touch|"
            r"watch|wear)\b"
        ),
    ),
    (
        "given_up_ gave_up_",
        r"\b(?:I|we)(?:'ve| have)? (?:given|gave) up (?!hope|on|trying)\w+[^.?!,\n]{0,20} for good\b",
    ),
    (
        "i've_given_up i_have_given_up",
        (
            r"\bI(?:'ve| have) given up (?:alcohol|bread|caffeine|carbs|cigarettes|coffee|dairy|driving|drinking|"
            r"flying|gluten|meat|smoking|social media|sugar|wheat)\b"
        ),
    ),
    (
        "has_to_be need_to_be needs_to_be must_be should_be must_fit",
        (
            r"\b(?:(?:all of it|any\w*|each|every\w*|it all|you \w+(?: \w+){0,3}) has to be|(?:any|every)(?:thing|"
            r"\w* \w+) (?:I|we)(?:'m| am|'re| are)? \w+(?: \w+)? (?:has to|needs to|must|should) (?:be|fit))\b"
        ),
    ),
    (
        "budget",
        (
            r"\b(?:my|our) (?:\w+ )?budget for (?:an?|any|each|every|(?!this)\w+s|\w+ \w+s)\b(?! (?:is|was) (?:cut|"
            r"gone)\b)"
        ),
    ),
    (
        "religio ethical_ health_ medical_ environmental_",
        r"\bfor (?:religious|ethical|health|medical|environmental|moral) reasons\b",
    ),
    (
        "sabbath shabbat ramadan",
        r"\b(?:I|we) (?:\w+ )?(?:keep|observe|honou?r|fast)\b[^.?!\n]{0,30}(?:sabbath|shabbat|ramadan)\b",
    ),
    (
        "muslim jewish hindu jain sikh mormon buddhist adventist",
        (
            r"\b(?:I'm|I am|we're|we are) (?:an? )?(?:\w+ )?(?:muslims?|jewish|hindus?|jains?|sikhs?|mormons?|"
            r"adventists?)\b"
        ),
    ),
    (
        "i_work_ i_sleep_ we_work_",
        (
            r"\bI (?:mostly |only |usually )?work (?:nights|night shifts?|late shifts?|shifts|weekends|at night)\b|"
            r"\bI sleep (?:until|till|all day|during the day)\b"
        ),
    ),
    (
        (
            "so_^no_ so_^please so_^nothing so_^never so_^avoid so_^assume so_^answer so_^reply so_^stick so_^skip "
            "so_^don't so_^keep so_^leave so_^plan so_^respond so_^talk so_^treat so_^use so_^write so_^easy "
            "so_^short so_^simple so_^small so_^plain so_^only"
        ),
        (
            r"\b(?:I|I'm|I've|my|our|we|we're)\b[^.?!\n]{3,100},? so (?:no (?!idea|luck|need|one|pressure|problem|"
            r"rush|wonder|worries|worry)\w+|(?:please )?(?:nothing|never|avoid|assume|answer|reply|stick|skip|"
            r"don't (?:ask|expect|give|make|offer|recommend|send|suggest|use)|keep (?:it|that|the|things|your)|"
            r"leave (?:out|room|that|the)|plan|respond|talk|treat|use|write|(?:easy|short|simple|small|plain|"
            r"only) \w+))\b"
        ),
    ),
    (
        "i'm_in_ i'm_from i_live i_am_in",
        (
            r"\bI(?:'m| am)?(?: only)? (?:(?:based )?in|from|live (?:in|on|at|with)) [^.?!,\n]{2,40}, so (?!(?:I|we|"
            r"it|far|much|many)\b)"
        ),
    ),
    (
        "never_",
        (
            rf"\b(?:I|we)(?:'d| would)? never (?:{_HABIT}|(?:borrow|carry|check|gamble|pack|stay in|tip|"
            rf"work)\b)(?! (?:about|it|that|them|this|up)\b)"
        ),
    ),
    (
        "_everything_ nothing_but",
        rf"\b(?:I|we) {_HABIT} (?:everything (?!about|else|from|that|you|I|we)\w+|nothing but \w+)",
    ),
    (
        "try_to_ try_not",
        (
            r"\b(?:I|we) (?:always |really )?try (?:to (?:avoid|buy|eat|limit|shop|spend less|use less)|not to (?:buy|"
            r"drink|eat|fly|spend|use|work))\b"
        ),
    ),
    (
        "to_bed_ get_up_ wake_up_ start_work finish_work leave_work",
        (
            r"\bI (?:always |usually |never )?(?:go to bed|get up|wake up|start work|finish work|leave work) (?:at|by|"
            r"around|before|after) (?!that\b|the\b|this\b)\w+"
        ),
    ),
    (
        "can_only_",
        (
            r"\b(?:I|we) can only (?:afford|do|drink|eat|get|have|meet|read|sleep|spend|take|train|travel|use|walk|"
            r"wear|work)\b(?! (?:it|that|them|this|so)\b)"
        ),
    ),
    ("days_off", r"\b(?:I|we) (?:always |only )?have \w+days off\b"),
    ("work_from_home work_remot", r"\b(?:I|we) (?:always |mostly |only )?work (?:from home|remotely)\b"),
    (
        "with_no_ without_a",
        rf"\b(?:I|we) (?:live|have|rent|sleep|work)\b[^.?!,\n]{{3,50}} (?:with no|without an?) (?:\w+ )?{GOODS}",
    ),
    (
        "only_got_",
        rf"\b(?:I|we)(?:'ve| have) only got (?:an?|one|two)(?: \w+)? (?:{GOODS}|hand|room|bathroom|pan|pot)",
    ),
    ("my_limit my_max my_ceiling our_limit", r"\b(?:my|our) (?:limit|max|maximum|ceiling) is\b"),
    (
        "have_no_ no_background",
        r"\bI have (?:no|zero|little) (?:background|experience|knowledge|training) (?:in|of|with)\b",
    ),
    (
        (
            "_only so_^recipes so_^answers so_^code so_^dates so_^replies so_^prices so_^suggestions so_^examples "
            "so_^times"
        ),
        rf"\b(?:I|I'm|I've|my|our|we|we're)\b[^.?!\n]{{3,100}},? so (?:{PIECES}\b|\w+(?: \w+)? only\b)",
    ),
    (
        "i_gave_up i_quit_ i've_quit i_stopped i've_stopped",
        r"\bI(?:'ve)? (?:gave up|quit|stopped) (?:alcohol|dairy|drinking|eating \w+|flying|meat|smoking|sugar)\b",
    ),
    (
        "_free -free _only",
        (
            r"\b(?:my|our) (?:household|family|kitchen|home|house|school|office|class) is (?:strictly |completely |"
            r"all )?\w+[- ](?:free|only)\b"
        ),
    ),
    (
        "possible wherever_ whenever_i_can",
        r"\b(?:I|we) [^.?!,\n]{2,40} (?:when|where)ever (?:possible|I can|we can|there is)\b",
    ),
    (
        "_everywhere",
        rf"\b(?:I|we) {_HABIT}(?: \w+)? everywhere\b|{START}(?:\w+ ){{1,3}}everywhere,? ?{START}?(?:please|pls)\b",
    ),
    (
        "a_day a_week a_month a_night per_",
        (
            r"\b(?:I|we) [^.?!,\n]{2,40}(?:at most|no more than|a maximum of|less than|only) [^.?!,\n]{1,20} (?:a|"
            r"per) (?:day|week|month|night|meal|trip)\b"
        ),
    ),
    ("_work_for_me", r"\b\w+s (?:don't|never) work for me\b"),
    ("i_travel_with we_travel_with", r"\b(?:I|we) (?:usually |mostly )?travel with (?:an?|my|two|three|our)\b"),
)
"""Cues, and the form."""
