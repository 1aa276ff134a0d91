"""The ratios of a table, computed from its runs: medians of one engine divided by those of another
one."""

from dataclasses import dataclass
from statistics import median


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


def _speed(what, group, work, first, second, quantity):
    return Ratio(what, group, (work, first), (work, second), quantity)


def _time(what, group, work, first, second):
    return Ratio(f"processor time of {what}", group, (work, first), (work, second), "cpu")


RATIOS = [
    _speed("find: speed, to html5ever + rcdom", "html", "find", "html5ever + rcdom", "relink", "wall"),
    _speed("find: speed, to lol_html with empty handlers", "html", "find", "lol_html, empty handlers", "relink", "wall"),
    _speed("absolutize with the check: speed, to lol_html", "html", "absolutize", "lol_html, set_attribute", "relink", "wall"),
    _speed("absolutize with the check: speed, to without", "html", "absolutize", "relink --verify none", "relink", "wall"),
    Ratio("relativize with the check: speed, to absolutize with it", "html", ("absolutize", "relink"), ("relativize", "relink"), "wall"),
    _speed("resolve, `web`: speed, to url", "urls", "resolve", "url", "urlcore, web", "wall"),
    _speed("resolve, `web`: speed, to fluent-uri", "urls", "resolve", "fluent-uri", "urlcore, web", "wall"),
    _speed("resolve, `web`: speed, to oxiri, unchecked", "urls", "resolve", "oxiri, unchecked", "urlcore, web", "wall"),
    Ratio("time of `relink -o`, to `cp -r`", "trees", ("absolutize", "relink -o"), ("absolutize", "cp -r"), "wall"),
    _time("`refs --format json`, to `refs`", "commands", "read", "refs --format json", "refs"),
    _time("`check`, to `refs`", "commands", "read", "check", "refs"),
    _time("`mv -n` of the largest page, to `refs`", "commands", "read", "mv -n, largest page", "refs"),
    _time("`mv -n` of a page of the middle size, to `refs`", "commands", "read", "mv -n, middle page", "refs"),
    _time("`--report`, to without", "commands", "write", "--report", "absolutize -o"),
    _time("`--update` with nothing to do, to a full run", "commands", "write", "--update", "absolutize -o"),
    _time("`undo`, to the run", "commands", "write", "undo", "--in-place"),
    _time("`--in-place`, to `sed -i`", "commands", "write", "--in-place", "sed -i"),
    _speed("speed, to turbohtml", "converters", "absolutize", "turbohtml", "relink", "cpu"),
    _speed("speed in user time, to mailparse", "mailbox", "absolutize", "mailparse", "relink", "user"),
    _speed("speed in user time, to mail-parser", "mailbox", "absolutize", "mail-parser", "relink", "user"),
    _speed("speed in user time, to Python email", "mailbox", "absolutize", "Python email", "relink", "user"),
    _time("`unpack`, to `absolutize`", "mailbox", "absolutize", "relink unpack", "relink"),
    _speed("refs: speed, to xmllint --stream", "sitemap", "read", "xmllint --stream", "relink refs", "cpu"),
    _speed("absolutize with the check: speed, to xmllint --stream", "sitemap", "read", "xmllint --stream", "relink absolutize", "cpu"),
    _time("`unpack`, to `refs`", "archives", "refs", "relink unpack", "relink refs"),
    _speed("speed, to inflate", "archives", "refs", "inflate", "relink refs", "cpu"),
    _speed("speed, to fastwarc + resiliparse", "archives", "refs", "fastwarc + resiliparse", "relink refs", "cpu"),
    _speed("speed, to warcio + lxml", "archives", "refs", "warcio + lxml", "relink refs", "cpu"),
]


# The commands of which the first thread orders the results of two others.
ORDERED = ("refs", "refs --format json", "check", "absolutize -o", "--report", "--in-place", "undo")


def value(record, quantity):
    """A quantity of a run, or None if it was not measured."""
    if quantity == "cpu":
        return None if record["user"] is None else record["user"] + record["system"]
    if quantity == "first":
        return record.get("first") and record["first"] / value(record, "cpu")
    return record[quantity]


def medians(group, quantity):
    """The median of each engine: from the work, the subject and the name."""
    values = {}
    for record in group["records"]:
        key = (record["work"], record["subject"], record["engine"])
        values.setdefault(key, []).append(value(record, quantity))
    return {key: median(found) for key, found in values.items() if None not in found}


def _row(group, subject, what, value):
    return {"group": group, "subject": subject, "what": what, "value": value}


def _of_first_thread(group):
    """The share of the processor time that the thread takes which orders what the others make."""
    for (_, subject, name), share in medians(group, "first").items():
        if name in ORDERED:
            yield _row(group["name"], subject, f"`{name}`: share of the first thread", share)


def _of_cores(group):
    """The speed-up of two cores; the share of the time of one core that two do not halve; and the
    speed-up of 16 cores, if that share stays as it is, and if only the first thread does not share
    its work."""
    walls, firsts = medians(group, "wall"), medians(group, "first")
    for work, subject, name in walls:
        if name == "one core":
            speedup = walls[work, subject, name] / walls[work, subject, "two cores"]
            serial = max(0.0, 2 / speedup - 1)
            yield _row("cores", subject, f"`{work}`: speed-up of two cores", speedup)
            yield _row("cores", subject, f"`{work}`: share that stays on one core", serial)
            yield _row("cores", subject, f"`{work}`: speed-up of 16 cores, computed", _of_16(serial))
            if first := firsts.get((work, subject, "two cores")):
                yield _row("cores", subject, f"`{work}`: share of the first thread", first)
                yield _row("cores", subject, f"`{work}`: speed-up of 16 cores, by the first thread", _of_16(first))


def _of_16(serial):
    """The speed-up of 16 cores of work of which one core does a share (Amdahl)."""
    return 1 / (serial + (1 - serial) / 16)


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
            if first is not None and second:
                rows.append(_row(group["name"], subject, ratio.what, first / second))
    if of_commands := by_name.get("commands"):
        rows.extend(_of_first_thread(of_commands))
    if cores := by_name.get("cores"):
        rows.extend(_of_cores(cores))
    for count in by_name.get("trees", {"counts": []})["counts"]:
        name, _, engine = count["name"].partition(", ")
        if name == "system calls per file":
            rows.append(_row("trees", count["subject"], f"{name}, `{engine}`", count["value"]))
    if memory := by_name.get("memory"):
        peaks = medians(memory, "peak")
        sizes = {record["subject"]: record["size"] for record in memory["records"]}
        for (_, subject, _), peak in peaks.items():
            rows.append(_row("memory", subject, "bytes of memory per byte", peak / sizes[subject]))
    return rows
