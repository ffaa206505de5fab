"""The tables of `streetai bench`, made from its reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streetai_core.cli.bench_view import show, show_line

_PERCENT = 100

_TOKEN_COLUMNS = (
    "conversation",
    "turns",
    "saved above 4,000",
    "saved at the end",
    "saved in all",
    "last prompt",
    "last history",
    "largest prompt",
    "turns above history",
)

_SAVING_NOTE = (
    "Saved above 4,000: mean share of the history that was not sent, over the turns whose history is longer; percent."
)

_DRIFT_NOTE = (
    "In brackets: without learning. Repeated questions are asked in other words. Most on top: the largest share of the "
    "questions that have one and the same message first."
)

_NO_STRANGERS = (
    "There is nothing to compare with: what was never said is asked with the questions of other conversations, and no "
    "other one has questions that name their evidence."
)


def recall_tables(report: Mapping[str, Any]) -> None:
    """Print a recall report: all questions, then the kinds of questions, then the differences."""
    budgets = [str(budget) for budget in report["budgets"]]
    conversations = len(report["data"]["conversations"])
    ranks = sorted({rank for system in report["systems"] for rank in system["all"]["recall_at"]}, key=int)
    systems = report["systems"]
    show(
        f"Evidence sent, percent of each question's gold messages: {report['data']['name']}, "
        f"{conversations} conversations, {systems[0]['all']['questions'] if systems else 0} questions",
        ["system", *(f"at {budget}" for budget in budgets), *(f"rec@{rank}" for rank in ranks), "MRR"],
        [[system["name"], *_evidence(system["all"], budgets, ranks)] for system in systems],
        [
            f"Encoder {report['encoder']}. Tokens: {report['tokens']}. 95 % intervals are in the results file.",
            *(f"Not compared: {line}" for line in report["missing"]),
            *(
                f"{system['name']}: {system['all']['over_budget']} prompts were over their budget and count as empty"
                for system in systems
                if system["all"]["over_budget"]
            ),
        ],
    )
    show(
        "Questions with all of their evidence, percent, and mean tokens sent",
        ["system", *(f"all at {budget}" for budget in budgets), *(f"tokens at {budget}" for budget in budgets)],
        [[system["name"], *_complete(system["all"], budgets)] for system in systems],
    )
    _category_table(systems, budgets)
    if report["paired"]:
        show(
            "Differences, points of evidence with their 95 % interval over questions",
            ["pair", *(f"at {budget}" for budget in budgets)],
            [
                [
                    f"{pair['first']} over {pair['other']}",
                    *(_difference(pair["evidence"][budget]) for budget in budgets),
                ]
                for pair in report["paired"]
            ],
        )
    for name, variant in report["chosen"].items():
        show_line(f"Held out {name}: best on the others was {variant}")


def _category_table(systems: Sequence[Mapping[str, Any]], budgets: Sequence[str]) -> None:
    """Print what each system finds of each kind of questions; a dash where it was asked none."""
    categories = sorted({name for system in systems for name in system["categories"]})
    show(
        f"By category, at {' / '.join(budgets)} tokens",
        ["system", *categories],
        [
            [
                system["name"],
                *(
                    " / ".join(_percent(system["categories"][name]["evidence"][budget]["mean"]) for budget in budgets)
                    if name in system["categories"]
                    else "-"
                    for name in categories
                ),
            ]
            for system in systems
        ],
    )


def token_tables(report: Mapping[str, Any]) -> None:
    """Print a token report: a row for each conversation, then how its prompts grow."""
    columns = ("saved_long", "saved_at_end", "saved_whole")
    conversations = report["conversations"]
    show(
        f"Tokens of each prompt against the full history, budget {report['budget']}: {report['data']['name']}",
        _TOKEN_COLUMNS,
        [
            [
                name,
                str(one["turns"]),
                *(_share(one[column]) for column in columns),
                *(f"{one[column]:,}" for column in ("sent_at_end", "history_at_end", "largest_prompt")),
                str(one["turns_above_history"]),
            ]
            for name, one in conversations.items()
        ]
        + [
            [
                "all",
                "",
                *(_share(report["all"][column]) for column in columns),
                "",
                "",
                f"{report['all']['largest_prompt']:,}",
                str(report["all"]["turns_above_history"]),
            ]
        ],
        [
            _SAVING_NOTE,
            f"Encoder {report['encoder']}. Tokens: {report['tokens']}.",
            *_over_budget(report["all"]),
        ],
    )
    for name, one in conversations.items():
        show(
            f"{name}: how prompts grow",
            ["turn", *(f"{turn}" for turn, _, _ in one["curve"])],
            [
                ["prompt", *(f"{sent:,}" for _, sent, _ in one["curve"])],
                ["history", *(f"{history:,}" for _, _, history in one["curve"])],
            ],
        )


def learning_tables(report: Mapping[str, Any]) -> None:
    """Print a learning report: credit for each kind of reply, then what the long run did."""
    columns = ("auroc_in_question", "score_auroc_in_question", "auroc", "score_auroc")
    shares = ("evidence_boosted", "evidence_demoted", "other_boosted", "other_demoted")
    show(
        f"Credit of the best hits for simulated replies: {report['data']['name']}",
        ["reply", "questions", "AUROC in a question", "of the score", "AUROC of all", "of the score"]
        + [name.replace("_", " ") for name in shares],
        [
            [
                style,
                str(one["questions"]),
                *(_area(one[column]) for column in columns),
                *(_share(one[column]) for column in shares),
            ]
            for style, one in report["credit"].items()
        ],
        [f"Shares in percent. Encoder {report['encoder']}."],
    )
    if report["drift"]:
        figures = ("rec@5", "rec@10", "rec@25", "mrr", "most_on_top")
        show(
            f"After {report['drift'][0]['turns']} turns: with learning, and without, percent",
            ["conversation", *(f"{kind} {figure}" for kind in ("repeated", "unrelated") for figure in figures)],
            [
                [
                    one["recording"],
                    *(
                        f"{_share(one['learned'][kind][figure])} ({_share(one['control'][kind][figure])})"
                        for kind in ("repeated", "unrelated")
                        for figure in figures
                    ),
                ]
                for one in report["drift"]
            ],
            [_DRIFT_NOTE],
        )


def absence_tables(report: Mapping[str, Any]) -> None:
    """Print an absence report, one row."""
    figures = report["all"]
    areas, shares = ("auroc_of_score", "auroc_of_similarity"), ("own_not_found", "strangers_not_found")
    show(
        f"Questions about things never said against own questions: {report['data']['name']}",
        ["data", "own", "strangers", *(name.replace("_", " ") for name in (*areas, *shares))],
        [
            [
                report["data"]["name"],
                str(figures["questions"]),
                str(figures["strangers"]),
                *(_area(figures[name]) for name in areas),
                *(_share(figures[name]) for name in shares),
            ]
        ],
        [
            f"AUROC of the best hit. Shares in percent. Encoder {report['encoder']}.",
            *([] if figures["strangers"] else [_NO_STRANGERS]),
        ],
    )


def speed_tables(report: Mapping[str, Any]) -> None:
    """Print a speed report: a row for each verb and size."""
    show(
        "Milliseconds of each verb",
        ["verb", "messages", "median", "95th percentile", "times the encoder"],
        [
            [
                one["verb"],
                f"{one['size']:,}",
                f"{one['median_ms']:.2f}",
                f"{one['p95_ms']:.2f}",
                f"{one['times_encoder']:.2f}",
            ]
            for one in report["timings"]
        ],
        [f"Encoder {report['encoder']}. Texts were never encoded before."],
        names=2,
    )


def _over_budget(summary: Mapping[str, Any]) -> list[str]:
    """What tells that the budget was not kept; nothing if it was."""
    over, turns = summary["over_budget"], summary["turns"]
    told = f"Over the budget are {over:,} of {turns:,} prompts: the message alone costs more, and was sent alone"
    return [told] if over else []


def _evidence(summary: Mapping[str, Any], budgets: Sequence[str], ranks: Sequence[str]) -> list[str]:
    found, mrr = summary["recall_at"], summary["mrr"]
    return [
        *(_percent(summary["evidence"][budget]["mean"]) for budget in budgets),
        *(_percent(found[rank]["mean"]) if rank in found else "-" for rank in ranks),
        "-" if mrr is None else _percent(mrr["mean"]),
    ]


def _complete(summary: Mapping[str, Any], budgets: Sequence[str]) -> list[str]:
    return [
        *(_percent(summary["complete"][budget]["mean"]) for budget in budgets),
        *(f"{summary['tokens'][budget]:.0f}" for budget in budgets),
    ]


def _percent(share: float) -> str:
    return f"{_PERCENT * share:.1f}"


def _area(value: float | None) -> str:
    """An area under a curve; a dash where there is nothing to measure."""
    return "-" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    """A share in percent; a dash where there is nothing to measure."""
    return "-" if value is None else _percent(value)


def _difference(estimate: Mapping[str, float]) -> str:
    mean, low, high = (_PERCENT * estimate[key] for key in ("mean", "low", "high"))
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]"
