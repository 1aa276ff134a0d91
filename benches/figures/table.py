"""The Markdown of a table, from the results of a run and from nothing else.

    python3 benches/figures/table.py FILE.json…    writes the table of an earlier run, or of several
                                                   on one machine
"""

import json
import sys
from pathlib import Path
from statistics import median, quantiles

import ratios

# Fewer runs have no quartiles.
N_QUARTILES = 4
# A group is marked if other processes took more of the machine than this, in cores.
OTHER_CORES = 0.2


def seconds(value):
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.1f} ms" if value >= 0.01 else f"{value * 1e3:.3f} ms"


def spread(values):
    """The quartiles; of few values the least and the greatest."""
    if len(values) < N_QUARTILES:
        low, high = min(values), max(values)
    else:
        low, _, high = quantiles(values, n=4)
    return f"{seconds(low)} – {seconds(high)}"


def memory(runs):
    """The median of the peaks, or the most that it can be."""
    if any(run["peak"] is None for run in runs):
        return ""
    peak, floor = median(run["peak"] for run in runs), max(run["floor"] for run in runs)
    text = f"{peak / 1e6:,.0f} MB"
    return f"≤ {text}" if peak <= floor * 1.05 else text


def speed(unit, amount, wall):
    if unit == "MB/s":
        return f"{amount / 1e6 / wall:,.0f}"
    return f"{wall / amount * {'ns/reference': 1e9, 'µs/file': 1e6}[unit]:,.1f}"


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def rows(group):
    """A row for each work, subject and engine, in the order in which they were measured."""
    records = {}
    for record in group["records"]:
        records.setdefault((record["work"], record["subject"], record["engine"]), []).append(record)
    first = {}
    before = None
    for (work, subject, engine), runs in records.items():
        walls = [run["wall"] for run in runs]
        wall = median(walls)
        beside = wall / first.setdefault((work, subject), wall)
        cpus = [ratios.value(run, "cpu") for run in runs]
        yield line([
            work if (work, subject) != before else "",
            subject if (work, subject) != before else "",
            engine,
            seconds(wall),
            spread(walls),
            "" if None in cpus else seconds(median(cpus)),
            memory(runs),
            speed(group["unit"], runs[0]["size"], wall),
            number(beside),
        ])
        before = (work, subject)


def ratio_rows(found):
    for row in found:
        yield line([row["group"], row["what"], row["subject"], number(row["value"])])


def joined(parts):
    """The results of several runs as those of one. A group is that of the last run that has it.
    Programs other than relink must be the same."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if any(_peers(part) != _peers(first) for part in parts):
        raise SystemExit("error: the runs are of different programs or places")
    last = {group["name"]: part for part in parts for group in part["groups"]}
    groups = [[group for group in part["groups"] if last[group["name"]] is part] for part in parts]
    names = [[group["name"] for group in of_part] for of_part in groups]
    relinks = {}
    for part, of_part in zip(parts, names):
        relinks.setdefault(part["versions"]["relink"], []).extend(of_part)
    if len(relinks) > 1:
        relink = " and ".join(f"{version}: {', '.join(of_version)}" for version, of_version in relinks.items())
    else:
        [relink] = relinks
    return {
        **first,
        "versions": {**first["versions"], "relink": relink},
        "load": max(part["load"] for part in parts),
        "busy": any(part["busy"] for part in parts),
        "quick": any(part["quick"] for part in parts),
        "commands": [command for part in parts for command in part["commands"]],
        "runs": [(part["runs"], of_part) for part, of_part in zip(parts, names)],
        "groups": [group for of_part in groups for group in of_part],
        "ratios": [row for part, of_part in zip(parts, names) for row in part["ratios"] if row["group"] in of_part],
        "skipped": [row for part in parts for row in part["skipped"]],
    }


def _peers(part):
    """The programs other than relink, and where the files were."""
    return {**part["versions"], "relink": None}, part["in_memory"], part["machine"]["processor"]


def times(runs):
    """The number of runs of each program, by groups if there are several."""
    if isinstance(runs, int):
        return f"{runs} times"
    return " and ".join(f"{number} times ({', '.join(groups)})" for number, groups in runs)


def render(results):
    """The whole table."""
    machine = results["machine"]
    place = "in memory" if results["in_memory"] else "on a disk"
    out = ["# Figures", ""]
    warnings = []
    if results["quick"]:
        warnings.append("small samples (`--quick`)")
    if results["busy"]:
        warnings.append(f"a busy machine (`--busy`; its load was {results['load']:.1f})")
    if warnings:
        out += [f"**Not to be quoted: {' and '.join(warnings)}.**", ""]
    out += [
        *[f"    {command}" for command in results["commands"]],
        "",
        f"{machine['date']}, {machine['kernel']}, {machine['processor']}, {machine['cores']} cores, {machine['memory'] / 2**30:.0f} GiB; "
        f"the load at the start was {results['load']:.2f}. Files are {place}. Each program ran {times(results['runs'])}, in turn with the "
        "others of its group, after a run that is not measured. Times are medians of wall time, with the quartiles (with fewer than four "
        "runs the least and the greatest), and medians of processor time, user and system. Memory is the median of the peak of a process, "
        "with ≤ where it is too little to be measured. The last column is the time divided by that of the first row.",
        "",
        "; ".join(f"{name} {version}" for name, version in results["versions"].items()) + ".",
        "",
    ]
    if results["ratios"]:
        out += ["## Ratios", "", line(["group", "ratio", "documents", "value"]), line(["---"] * 3 + ["---:"])]
        out += [*ratio_rows(results["ratios"]), ""]
    for group in results["groups"]:
        out += [f"## {group['title']}", "", *[note for text in group["notes"] for note in (text, "")]]
        other = group["other_cores"]
        if other is not None:
            mark = "**" if other > OTHER_CORES else ""
            out += [f"{mark}Other processes took {other:.2f} cores in the mean.{mark}", ""]
        heads = ["work", "documents", "program", "wall", "spread", "CPU", "memory", group["unit"], "× first"]
        out += [line(heads), line(["---"] * 3 + ["---:"] * 6), *rows(group), ""]
        counts = {}
        for count in group["counts"]:
            value = f"{count['value']:,}" if isinstance(count["value"], (int, float)) else count["value"]
            counts.setdefault(count["subject"], []).append(f"{count['name']}: {value}")
        if counts:
            out += [*[f"- {subject}: {'; '.join(found)}" for subject, found in counts.items()], ""]
    if results["skipped"]:
        out += ["## Skipped", "", *[f"- {reason}" for reason in results["skipped"]], ""]
    return "\n".join(out)


if __name__ == "__main__":
    print(render(joined([json.loads(Path(name).read_text()) for name in sys.argv[1:]])))
