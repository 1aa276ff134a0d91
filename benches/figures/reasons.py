"""Why marks are missed: what a profile, or the table itself, says of each. Shares are of
instructions, counted by callgrind, so they do not depend on how busy the machine is."""

# By group and the start of the ratio's name.
REASONS = {
    ("html", "find: speed, to html5ever"): "the pages of Rust have a reference every 160 to 190 octets, those of Python and Boost every 280 to 350. Four fifths of the instructions lex tags and names, one fifth looks up attributes. The search between tags is done by vectors; lexing inside of them is not. On another processor (AMD EPYC, 2026-11-24) the four ratios were 18.2, 20.4, 23.6 and 24.6.",
    ("html", "find: speed, to lol_html"): "the same profile. On another processor (AMD EPYC, 2026-11-24) the ratios were 3.76 to 4.44.",
    ("html", "absolutize with the check: speed, to without"): "the check does not search these pages again, but compares each value with its target, and all other bytes with the input. That is a fifth of the instructions of a run (121 of 655 million for 28 pages) where there is a reference every 160 to 190 octets; one page in 64 is searched as a whole.",
    ("urls", "resolve"): "44 % of the references of Boost go up two directories or more, and 8 % have a host. An earlier run of the same day gave 4.22.",
    ("trees", "time of `relink -o`"): "`cp -r` takes 16 to 17 µs for a small file on this machine, 25 on an AMD EPYC (2026-11-24), where the program of that day took as long as this one here, and the ratios were 1.46, 2.35 and 0.97. Two thirds of relink's processor time for the documentation of Rust are spent in the program, a third in the kernel. The program before the shorter check takes 2.13 s here, in turn with this one, which takes 1.71 s.",
    ("trees", "system calls per file, `relink -o`"): "a document takes 8 calls: `openat`, `statx`, `read`, `openat`, `write`, `utimensat`, and `close` twice. The rest is for directories and the start; the start has the largest share in small trees.",
    ("trees", "system calls per file, `relink --in-place`"): "a document takes 13 calls. Those beyond a new file and its rename compare it with what was read, look whether its directory was exchanged, and write the journal, whose entries are not grouped.",
    ("mailbox", "speed in user time, to mailparse"): "mailparse decodes, and writes nothing. Of relink's user time, decoding quoted-printable with a map of offsets takes 16 %, finding references 10 %, searches of whole messages 8 %, allocation 5 %. A body that changes is decoded and searched again for the check: without it relink has 1.17 times mailparse's speed.",
    ("mailbox", "speed in user time, to Python email"): "mailparse itself has 7.2 times the speed of Python here.",
    ("sitemap", "refs"): "quick-xml reads the events, which takes a third of the instructions, and checks that each is UTF-8, a tenth of all; names and attributes take another quarter. Each reference is resolved, and is a line of output: a fifth.",
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
