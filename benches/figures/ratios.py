"""The ratios that the project promises, computed from the runs of a table: medians of one engine
divided by those of another one, with the mark that each must reach."""

from dataclasses import dataclass
from statistics import median
from typing import Optional


@dataclass
class Ratio:
    """How many times as much the first engine takes as the second one, on each subject of a group.

    An engine is a work and a name. `quantity` is `wall`, `cpu` or `user`.
    """

    what: str
    group: str
    first: tuple
    second: tuple
    quantity: str
    least: Optional[float] = None
    most: Optional[float] = None
    aim: Optional[float] = None
    # The start of the subject, where the mark is for one subject.
    subject: str = ""


def _speed(what, group, work, first, second, quantity, least=None, aim=None):
    return Ratio(what, group, (work, first), (work, second), quantity, least=least, aim=aim)


def _beside_cp(subject, most, aim=None):
    return Ratio("time of `relink -o`, to `cp -r`", "trees", ("absolutize", "relink -o"), ("absolutize", "cp -r"), "wall", most=most, aim=aim, subject=subject)


RATIOS = [
    _speed("find: speed, to html5ever + rcdom", "html", "find", "html5ever + rcdom", "relink", "wall", 22, 30),
    _speed("find: speed, to lol_html with empty handlers", "html", "find", "lol_html, empty handlers", "relink", "wall", 3.5, 5),
    _speed("absolutize with the check: speed, to lol_html", "html", "absolutize", "lol_html, set_attribute", "relink", "wall", 2),
    _speed("absolutize with the check: speed, to without", "html", "absolutize", "relink --verify none", "relink", "wall", 0.8),
    Ratio("relativize with the check: speed, to absolutize with it", "html", ("absolutize", "relink"), ("relativize", "relink"), "wall", least=0.8),
    _speed("resolve, `web`: speed, to url", "urls", "resolve", "url", "urlcore, web", "wall", 4),
    _speed("resolve, `web`: speed, to fluent-uri", "urls", "resolve", "fluent-uri", "urlcore, web", "wall", 3),
    _speed("resolve, `web`: speed, to oxiri, unchecked", "urls", "resolve", "oxiri, unchecked", "urlcore, web", "wall", 1.5),
    _beside_cp("Rust docs", 1.8, 1.0),
    _beside_cp("Rust std", 3),
    _beside_cp("python3.11-doc", 2),
    _beside_cp("20,000", 1.3),
    _beside_cp("200,000", None),
    _speed("speed, to turbohtml", "converters", "absolutize", "turbohtml", "relink", "cpu"),
    _speed("speed in user time, to mailparse", "mailbox", "absolutize", "mailparse", "relink", "user", 1),
    _speed("speed in user time, to mail-parser", "mailbox", "absolutize", "mail-parser", "relink", "user"),
    _speed("speed in user time, to Python email", "mailbox", "absolutize", "Python email", "relink", "user", 12),
    _speed("refs: speed, to xmllint --stream", "sitemap", "read", "xmllint --stream", "relink refs", "cpu", 0.8),
    _speed("absolutize with the check: speed, to xmllint --stream", "sitemap", "read", "xmllint --stream", "relink absolutize", "cpu", 0.35),
    _speed("speed, to inflate", "archives", "refs", "inflate", "relink refs", "cpu", 0.35),
    _speed("speed, to fastwarc + resiliparse", "archives", "refs", "fastwarc + resiliparse", "relink refs", "cpu"),
    _speed("speed, to warcio + lxml", "archives", "refs", "warcio + lxml", "relink refs", "cpu"),
]
# The most system calls per file, and octets of memory per octet of a document.
MOST_CALLS = {"relink -o": 8, "relink --in-place": 12}
MOST_MEMORY = {"HTML": 2.5, "CSS": 3, "XML": 3, "JSON": 4}


def value(record, quantity):
    """A quantity of a run, or None if it was not measured."""
    if quantity == "cpu":
        return None if record["user"] is None else record["user"] + record["system"]
    return record[quantity]


def medians(group, quantity):
    """The median of each engine: from the work, the subject and the name."""
    values = {}
    for record in group["records"]:
        key = (record["work"], record["subject"], record["engine"])
        values.setdefault(key, []).append(value(record, quantity))
    return {key: median(found) for key, found in values.items() if None not in found}


def _row(group, subject, what, value, least=None, most=None, aim=None):
    is_reached = None
    if least is not None or most is not None:
        is_reached = value >= least if least is not None else value <= most
    return {"group": group, "subject": subject, "what": what, "value": value, "least": least, "most": most, "aim": aim, "reached": is_reached}


def ratios(groups):
    """Returns the ratios of all groups, as rows."""
    rows = []
    by_name = {group["name"]: group for group in groups}
    for ratio in RATIOS:
        if ratio.group not in by_name:
            continue
        group = by_name[ratio.group]
        found = medians(group, ratio.quantity)
        for subject in dict.fromkeys(record["subject"] for record in group["records"]):
            first, second = (found.get((work, subject, name)) for work, name in (ratio.first, ratio.second))
            if subject.startswith(ratio.subject) and first is not None and second:
                rows.append(_row(group["name"], subject, ratio.what, first / second, ratio.least, ratio.most, ratio.aim))
    for count in by_name.get("trees", {"counts": []})["counts"]:
        name, _, engine = count["name"].partition(", ")
        if name == "system calls per file":
            rows.append(_row("trees", count["subject"], f"{name}, `{engine}`", count["value"], most=MOST_CALLS.get(engine)))
    if memory := by_name.get("memory"):
        peaks = medians(memory, "peak")
        sizes = {record["subject"]: record["size"] for record in memory["records"]}
        for (_, subject, _), peak in peaks.items():
            rows.append(_row("memory", subject, "octets of memory per octet", peak / sizes[subject], most=MOST_MEMORY.get(subject)))
    return rows
