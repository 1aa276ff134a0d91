"""Why marks are missed: what a profile, or the table itself, says of each. Shares are of
instructions, counted by callgrind, so they do not depend on how busy the machine is."""

# By group and the start of the ratio's name.
REASONS = {
    ("html", "find: speed, to html5ever"): "the pages of Rust have a reference every 160 to 190 octets, those of Python and Boost every 280 to 350. Four fifths of the instructions lex tags and names, one fifth looks up attributes. The search between tags is done by vectors; lexing inside of them is not.",
    ("html", "absolutize with the check: speed, to lol_html"): "lol_html checks nothing. Without the check relink has 3.1 to 3.5 times its speed; the check is 40 % of the instructions.",
    ("html", "absolutize with the check: speed, to without"): "the check reads the whole output again, with the same lexer: finding alone is a third of the instructions of a run with the check. To read only the edited tags again is not built; it would need a test that damages 10,000,000 edits and gets the same verdicts.",
    ("urls", "resolve"): "44 % of the references of Boost go up two directories or more, and 8 % have a host. An earlier run of the same day gave 4.22.",
    ("trees", "time of `relink -o`"): "without the check the ratio is 1.97: 67 MB are read, written and processed in 0.17 s, with three times the processor time of the copy.",
    ("trees", "system calls per file, `relink -o`"): "a document takes 8 calls: `openat`, `statx`, `read`, `openat`, `write`, `utimensat`, and `close` twice. The rest is for directories and the start; the start has the largest share in small trees.",
    ("trees", "system calls per file, `relink --in-place`"): "a document takes 13 calls. Those beyond a new file and its rename compare it with what was read, look whether its directory was exchanged, and write the journal, whose entries are not grouped.",
    ("mailbox", "speed in user time, to mailparse"): "mailparse decodes, and writes nothing. Of relink's instructions, decoding quoted-printable with a map of offsets takes 18 %, finding references 14 %, copies of the window 6 %.",
    ("mailbox", "speed in user time, to Python email"): "mailparse itself has 7.1 times the speed of Python here.",
    ("sitemap", "refs"): "quick-xml checks that each event is UTF-8, which takes 11 %; finding the row of an element takes 1 %. Each reference is resolved, and is a line of output.",
    ("archives", "speed, to inflate"): "decompression takes a third of the instructions of `refs`, finding a fifth; resolving, positions and lines of output take a quarter, since these pages have a reference every 184 octets; copies and allocations a tenth.",
    ("memory", "octets"): "input and output are in memory as a whole: 63 % at the peak of a page with a reference every 183 octets (massif). The rest are 220 octets for each reference: its edit, its place, and what it must point to. The peak is the same without the check.",
}


def of(rows):
    """Returns a line for each ratio that is missed, with the documents, and why."""
    missed = {}
    for row in rows:
        missed.setdefault((row["group"], row["what"]), []).append(row["subject"])
    lines = []
    for (group, what), subjects in missed.items():
        reasons = (why for (of_group, start), why in REASONS.items() if of_group == group and what.startswith(start))
        why = next(reasons, "not known.")
        lines.append(f"{what} ({', '.join(subjects)}): {why}")
    return lines
