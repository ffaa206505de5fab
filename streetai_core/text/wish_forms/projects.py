"""What somebody's work, team and tools keep to."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import LANGUAGE, MEASURE

PROJECTS = (
    (
        "for_everything for_all for_every for_any",
        (
            r"\b(?:I|we) (?:always |only |just )?(?:build|deploy|do|host|keep|pay|run|ship|store|test|use|"
            r"write)\b[^.?!,\n]{0,40} for (?:everything|any\w*|every \w+|all (?:of )?(?:my|our|the))\b"
        ),
    ),
    (
        "stuck_ limited_to locked_in tied_to standardi confined",
        (
            r"\b(?:I'm|I am|we're|we are)(?: still)? (?:(?:stuck|limited|locked|tied|confined|standardi[sz]ed) (?:in|"
            r"into|on|to|with) (?!(?:bed|it|that|the|this|traffic|what)\b)\w+)"
        ),
    ),
    (
        "all_my_ all_our_ all_of_my all_of_our",
        (
            r"\ball (?:of )?(?:my|our) (?:\w+ )?(?:apps?|code|data|dates|emails|mails|notes|projects|repos|"
            r"repositories|scripts|servers|services|sites|software|systems|texts|work|writing)\b(?: (?:are|is|goe?s?|"
            r"lives?|runs?|stays?))? (?:ISO|built|by|done|hosted|in|on|with|written)\b"
        ),
    ),
    (
        "rule policy convention standard house_style",
        (
            r"\b(?:that's|it's|that is|it is|this is) (?:a|an|the|our|my) (?:\w+ )?(?:convention|habit|house style|"
            r"policy|rule|standard)\b|\bour (?:house style|style guide|convention|policy)\b"
        ),
    ),
    (
        (
            "our_code our_stack our_repo our_back our_front our_team our_company our_shop our_server our_build "
            "our_whole our_entire our_api our_linter"
        ),
        (
            r"\bour (?:\w+ )?(?:codebase|code base|stack|repo|backend|frontend|api|linter|team|company|shop|server|"
            r"build) (?:(?:is|runs|uses|allows|wants) (?:\w+ )?(?:on|in|only|plain|pure|no)|bans|demands|forbids|"
            r"insists|mandates|requires)\b"
        ),
    ),
    (
        "i'm_on_ am_on_ we're_on_ are_on_",
        (
            r"\b(?:I'm|I am|we're|we are) (?:still )?on (?:an? )?(?:(?:old |new )?(?:mac|macos|windows|linux|ubuntu|"
            r"debian|fedora|android|ios|iphone|ipad|chromebook|python|java|node|php|rails|postgres)\b|(?!my\b|"
            r"the\b)(?:[\w-]+ ){1,3}(?:diet|time|thinners|shifts?|medication|meds|budget|blockers|statins|pension)\b|"
            r"(?:dialysis|warfarin|insulin|lithium|keto|antidepressants|benefits|statins)\b)"
        ),
    ),
    (
        "think_in_ measure_in_ cook_in_ count_in_ code_in_ calculate_in_ bake_in_ program_in_ pay_in_ write_in_",
        (
            rf"\b(?:I|we) (?:only |always |still )?(?:think|measure|cook|count|code|calculate|bake|program|pay|"
            rf"write) in (?:{MEASURE}|{LANGUAGE}|(?-i:[A-Z])\w+|grams|cash)\b"
        ),
    ),
    (
        "i_write_ i_speak_ we_write_ we_speak_ i_use_ we_use_",
        (
            rf"\b(?:I|we) (?:write|speak|use) (?:only )?(?:(?:British|American|Canadian|Australian|Swiss|Brazilian|UK|"
            rf"US) (?:English|spelling|French|German|Portuguese)|{MEASURE})\b"
        ),
    ),
    (
        "everything_in everything_on everything_with",
        r"\b(?:I|we) (?:build|code|develop|do|host|keep|run|store|track|write) everything (?:in|on|with)\b",
    ),
    (
        (
            "i_use_ we_use_ i_run_ we_run_ i_work_on_ we_work_on_ i_write_ we_write_ i_work_in_ we_deploy i_develop "
            "we_develop"
        ),
        (
            r"\b(?:I|we) (?:use|run|(?:develop|work) (?:in|on|with)|write|deploy (?:to|on)) (?:android|angular|arch|"
            r"aws|azure|bootstrap|c\+\+|debian|django|docker|emacs|excel|fedora|firefox|flask|google sheets|ios|java|"
            r"javascript|jira|kotlin|kubernetes|laravel|libreoffice|linux|mac ?os|mongodb|mysql|neovim|notion|"
            r"obsidian|php|postgres\w*|pycharm|python|rails|react|ruby|rust|sqlite|svelte|swift|tailwind|terraform|"
            r"typescript|ubuntu|vim|vs ?code|vue|windows)\b(?! (?:as|for this|here|to)\b)"
        ),
    ),
    (
        "we're_a_ we_are_a_",
        r"\bwe(?:'re| are) an? (?:[\w-]+ ){1,2}(?:shop|team|company|house|household|office|family)\b",
    ),
    (
        "_uses_ _targets_ _requires_",
        (
            r"\b(?:my|our|the) (?:team|project|company|codebase|school|class|office|firm) (?:only )?(?:uses|targets|"
            r"requires)\b"
        ),
    ),
    ("follow_", r"\b(?:I|we) follow (?:the )?(?-i:[A-Z])\w+(?! on\b)"),
)
"""Cues, and the form."""
