"""What body and health allow, of who tells it and of those who eat with them."""

from __future__ import annotations

from streetai_core.text.wish_forms.vocabulary import GOODS, ILL

_AILING = (
    r"(?:non-binary|a celiac|a coeliac|an? epileptic|an? insomniac|a recovering \w+|an? wheelchair user|anaemic|"
    r"anemic|asthmatic|autistic|blind|breast-?feeding|claustrophobic|deaf|dyscalculic|dyspraxic|epileptic|"
    r"gluten[- ]free|hard of hearing|housebound|immunocompromised|in recovery|left-handed|long-sighted|near-?sighted|"
    r"pregnant|sober|tone-deaf|visually impaired|short-sighted)\b"
)
"""What one is that binds every suggestion."""

_BODY = (
    r"(?:ankles?|arms?|back|ears?|eyes?|eyesight|feet|gut|hands?|hearing|heart|hips?|knees?|legs?|skin|stomach|"
    r"wrists?)"
)

_AILMENT = (
    rf"(?:(?:a )?(?:bad|weak|sensitive|artificial|replaced) {_BODY}|a (?:heart|kidney|liver|skin) \w+|a pacemaker|"
    rf"a phobia|a stoma|"
    r"a tremor|adhd|add\b|anxiety|aphantasia|arthritis|asthma|autism|c(?:o?)eliac|chronic \w+|crohn'?s|diabetes|"
    r"dyscalculia|dyslexia|dyspraxia|eczema|endometriosis|epilepsy|fibromyalgia|gout|hay ?fever|"
    r"high (?:blood pressure|cholesterol)|ibs|low vision|lupus|migraines|ms\b|osteoporosis|parkinson'?s|reflux|"
    r"rheumatism|sciatica|sleep apn(?:o?)ea|tinnitus|vertigo)"
)
"""What one has that does so."""

_GETTING = (
    r"(?:air ?sick|anxious|car ?sick|claustrophobic|dizzy|heartburn|hives|migraines?|motion sick|nauseous|nosebleeds|"
    r"overwhelmed|panic attacks|rashes|sea ?sick|vertigo)\b"
)

_AID = (
    r"(?:braille|cane|crutch(?:es)?|guide dog|hearing aids?|insulin pump|magnifier|mobility scooter|prosthe\w+|"
    r"rollator|screen[- ]?reader|walker|walking (?:aid|frame|stick)|zimmer frame)"
)

_DOCTOR = (
    r"(?:allergist|cardiologist|consultant|dentist|dermatologist|dieti[ct]ian|doc|doctors?|gp|midwife|neurologist|"
    r"nutritionist|oncologist|optician|physio\w*|psychiatrist|specialist|surgeon|therapist)"
)

HEALTH = (
    (
        "n't_eat n't_drink nt_eat nt_drink not_eat not_drink",
        r"\b(?:does not|doesn't|doesnt) (?:eat|drink)\b",
    ),
    (
        (
            "allerg intoleran vegan vegetarian pescatarian coeliac celiac halal kosher dyslexic diabetic blind "
            "teetotal wheelchair"
        ),
        rf"\b{ILL}",
    ),
    (
        (
            "celiac coeliac epileptic insomniac recover wheelchair anaemic anemic asthmatic autistic blind breast "
            "claustro deaf dyscalcul dysprax gluten hard_of_hearing housebound immuno left-hand sighted pregnant "
            "sober visually"
        ),
        rf"\b(?:I'm|im|I am) (?:\w+ly )?{_AILING}",
    ),
    (
        "i_have_ i've_ suffer",
        rf"\b(?:I have|I've got|I've|I suffer from) (?:got )?(?:bad |mild |severe |terrible |type \w+ )?{_AILMENT}",
    ),
    (
        "i_get_ i_always_get_",
        rf"\bI (?:always |easily |often )?get (?:bad |terrible |so |really |very |awful )?{_GETTING}",
    ),
    (
        "me_migraine me_a_mig me_head me_a_head me_hives me_heartburn me_a_rash me_panic me_nightmares",
        (
            r"\bgives? me (?:an? |bad |terrible |the )?(?:migraines?|headaches?|hives|heartburn|rash|panic attacks?|"
            r"nightmares)\b"
        ),
    ),
    ("agree_with_me upset", r"\b(?:doesn't|don't|does not) agree with me[.!]|\bupsets? my (?:stomach|gut)\b"),
    (
        "afraid_of scared_of terrified_of phobic_of",
        (
            r"\bI(?:'m| am|'ve always been) (?:\w+ly )?(?:afraid|scared|terrified|phobic) of (?:bees|blood|boats|"
            r"bridges|clowns|crowds|dogs|elevators|enclosed|flying|heights|lifts|needles|snakes|spiders|the (?:dark|"
            r"sea|water)|tunnels|water)\b"
        ),
    ),
    (
        (
            "reader braille cane crutch guide_dog hearing_aid insulin_pump magnifier scooter prosthe rollator walker "
            "walking_ zimmer"
        ),
        rf"\bI (?:use|have|wear|need|rely on|walk with|work with) (?:an? |my |two )?(?:\w+ )?{_AID}",
    ),
    (
        (
            "allergist cardiolog consultant dentist dermatolog dieti doctor my_doc my_gp midwife neurolog "
            "nutritionist oncolog optician physio psychiatrist specialist surgeon therapist"
        ),
        (
            rf"\bmy (?:\w+ )?{_DOCTOR} (?:\w+ )?(?:advised|banned|forbade|has|ordered|prescribed|put|recommends?|"
            rf"recommended|said|says|told|wants|warned)\b[^.?!\n]{{0,40}}\b(?:avoid|away from|cut|for good|give up|"
            rf"less|limit|low|no|not|off|stop|without)\b"
        ),
    ),
    (
        (
            "my_ankle my_arm my_back my_ear my_eye my_feet my_gut my_hand my_hear my_hip my_knee my_leg my_skin "
            "my_stomach my_wrist my_left my_right my_bad my_old my_poor"
        ),
        (
            rf"\bmy (?:\w+ )?{_BODY} (?:can't|cannot|won't|aren't|isn't|(?:can )?no longer|hates?|shakes?|freaks? out|"
            rf"(?:are|is) (?:bad|shot|weak|too weak))\b"
        ),
    ),
    (
        "have_no_ haven't_got got_no_",
        rf"\b(?:I|we)(?:'ve| have|(?: have|'ve)? got| haven't got|'ve got)? ?(?:no|a|an|any) (?:\w+ )?{GOODS}",
    ),
    ("there's_no_ there_is_no_", rf"\bthere(?:'s| is) no {GOODS} (?:at|here|in my|in our|in this)\b"),
    ("makes_me", r"\bmakes me (?:break out|dizzy|ill|itch|nauseous|sick|sneeze|throw up)[.!,;]"),
    ("react_ reacting_ sensitive_to", r"\bI(?:'m| am)? (?:\w+ )?(?:react(?:ing)? (?:badly|strongly)|sensitive) to \w+"),
    (
        "_son _daughter _kid _child _wife _husband _partner _girlfriend _boyfriend _baby _toddler _boy _girl",
        (
            rf"\b(?:my|our) (?:\w+ )?(?:son|daughter|kids?|child|children|wife|husband|partner|girlfriend|boyfriend|"
            rf"baby|toddler|boys?|girls?)(?:(?:'s| is| are) {_AILING}| (?:has|have) (?:type \w+ )?{_AILMENT}|"
            rf"(?: can't| cannot| won't| never)(?: ever)? (?:eats?|drinks?|have|handle|stand|touch|tolerate)\b|"
            rf" only(?: ever)? (?:eats?|drinks?|wears?|sleeps?)\b)"
        ),
    ),
    ("diet", r"\b(?:I|I'm|we|we're) (?:on|follow|following|keep to|stick to|eat) (?:an? |my )?(?:[\w-]+ ){0,3}diet\b"),
    (
        "pills medication meds insulin warfarin statins thinners antidepress blockers lithium",
        (
            r"\bI(?:'m| am)? (?:on|take|taking) (?:[\w-]+ ){0,3}(?:antidepressants|blockers|insulin|lithium|"
            r"medication|meds|pills|statins|thinners|warfarin)\b"
        ),
    ),
    ("recovering_from", r"\b(?:I'm|I am|im) (?:still )?recovering from\b"),
)
"""Cues, and the form."""
