"""Whether two messages or mailboxes differ in nothing but references, as Python's email package
reads them.

    python3 tests/mail/parts.py OLD NEW
    python3 tests/mail/parts.py OLD NEW OLD.jsonl NEW.jsonl ...

The .jsonl files are what `relink refs --format json` lists of OLD and of NEW; without them no
reference is allowed to differ. The messages must have the same parts, of the same types and nested
in the same way, and the same fields in the same order; fields that hold references may have other
values. Each body, decoded, must be the old one with the text of each reference put in the place of
the old text, in their order. A text may be written with character references, CSS escapes and line
ends; what is outside of references must be the same byte by byte.

The first difference is reported, with exit status 1.
"""

import base64
import binascii
import email
import email.policy
import html
import json
import re
import sys

POLICIES = {"compat32": email.policy.compat32, "default": email.policy.default}

# Fields that may have other values, since they hold references or count bytes. Also `url` of a
# Content-Type, and `List-*`.
FREE = {"content-location", "content-base", "base", "archived-at", "link", "refresh", "x-url", "content-length"}

# The line that begins a message of a mailbox: after an empty line, with a time of day, or nothing
# but an address.
SEPARATOR = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|(?<=\n\n)|(?<=\n\r\n))From (?:[^\n]*[0-9]:[0-9][^\n]*|[^\s@]+@[^\s@]+[ \t\r]*)\n")
REFERENCE = re.compile(rb"&(?:(?:amp|#38|#[xX]26);)*(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?")
AMPERSAND = re.compile(rb"(?:amp|#38|#[xX]26);?")
ESCAPE = re.compile(rb"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|([^0-9a-fA-F\n\r\f]))")
# Charsets whose texts are compared, and not their bytes.
WIDE = ("utf-16", "utf-32", "iso-2022-", "hz-")
# Neither is read inside of a URL.
IGNORED = re.compile(rb"(?:\\?\r?\n|[\t\r])")


class Different(Exception):
    """The first difference."""


def require(is_same, where, what, old=None, new=None):
    if not is_same:
        raise Different(f"{where}: {what}" + ("" if old is None and new is None else f"\n  was {old!r}\n  now {new!r}"))


# Containers


def units(data):
    """The messages of a file: what is before each, and its bytes."""
    if counted := re.match(rb"([0-9]+)[ \t]*\r?\n", data):
        # A message of Apple Mail: its size, the message, a property list, which is to
        # stay. The size may be another one.
        end = counted.end() + int(counted[1])
        return [(data[end:], data[counted.end() : end])]
    starts = list(SEPARATOR.finditer(data))
    if not starts or starts[0].start() != 0:
        return [(b"", data)]
    ends = [start.start() for start in starts[1:]] + [len(data)]
    return [(start[0], data[start.end() : end]) for start, end in zip(starts, ends)]


# Parts


def encapsulated(part):
    """The message in a part; one that is encoded, which the package reads as if it were not, is
    decoded first."""
    inner = part.get_payload(0)
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if encoding in ("base64", "quoted-printable") and not inner.keys() and isinstance(inner.get_payload(), str):
        octets = inner.get_payload().encode("ascii", "surrogateescape")
        try:
            octets = base64.b64decode(octets) if encoding == "base64" else binascii.a2b_qp(octets)
            return email.message_from_bytes(octets, policy=part.policy)
        except binascii.Error:
            pass
    return inner


def number_of(prefix, idx):
    return f"{prefix}.{idx}" if prefix else str(idx)


def parts(message, number=""):
    """Each entity of a message with the number that IMAP gives it (RFC 3501 6.4.5), the
    nesting, and whether it is a leaf."""
    yield number or "TEXT", message
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for idx, part in enumerate(message.get_payload(), 1):
            yield from entity(part, number_of(number, idx))
    else:
        yield from entity(message, number_of(number, 1), is_own=True)


def entity(part, number, is_own=False):
    if not is_own:
        yield number, part
    if part.get_content_maintype() == "message" and part.is_multipart():
        if len(part.get_payload()) == 1:
            yield number + "/", None
            yield from parts(encapsulated(part), number)
        else:
            # A delivery status is blocks of fields.
            for idx, block in enumerate(part.get_payload(), 1):
                yield f"{number}/{idx}", block
    elif part.is_multipart():
        for idx, child in enumerate(part.get_payload(), 1):
            yield from entity(child, number_of(number, idx))
    else:
        yield number + ":", part


def shape(message):
    """The tree of types, as one text."""
    return [(number, None if part is None else part.get_content_type(), part is not None and part.is_multipart()) for number, part in parts(message)]


def is_free(name):
    return name.lower() in FREE or name.lower().startswith("list-")


def fields(part, policy):
    """Names and values of a heading; for the policy that reads values, also what it reads."""
    for name, value in part.raw_items():
        value = str(value)
        shown = None
        if is_free(name):
            value = None
        elif name.lower() == "content-type" and re.search(r"\burl\*?[0-9]*\*?=", value, re.I):
            value = re.sub(r"""(?is)(\burl\*?[0-9]*\*?=)("[^"]*"|[^;]*)""", r"\1", value)
        elif policy == "default":
            try:
                shown = str(email.policy.default.header_fetch_parse(name, value))
            except Exception as error:  # The package fails on some wild values; it must do so on both sides.
                shown = type(error).__name__
        yield name, value, shown


def compare_headings(where, old, new, policy):
    olds, news = list(fields(old, policy)), list(fields(new, policy))
    names = [[name for name, _, _ in side] for side in (olds, news)]
    require(names[0] == names[1], where, "other fields", *names)
    for before, after in zip(olds, news):
        require(before == after, where, f"field {before[0]}", before[1:], after[1:])


# Bodies


def unescaped(text):
    """A text without character references, however often it was escaped."""
    while text != (text := html.unescape(text)):
        pass
    return text


def ends(body, start, text, charsets):
    """Where a text ends that begins at a place of a body, in any of the ways to write it;
    nothing if it does not stand there."""
    places = {start}
    for character in text:
        following = set()
        waiting = list(places)
        seen = set(places)
        while waiting:
            at = waiting.pop()
            for octets in written(character, charsets):
                if body.startswith(octets, at):
                    following.add(at + len(octets))
            if character == "&" and body[at : at + 1] == b"&":
                end = at + 1
                while found := AMPERSAND.match(body, end):
                    following.add(end := found.end())
            elif (found := REFERENCE.match(body, at)) and unescaped(found[0].decode("ascii")) == character:
                following.add(found.end())
            if found := ESCAPE.match(body, at):
                hexadecimal, other = found.groups()
                if (hexadecimal and int(hexadecimal, 16) == ord(character)) or (other and other == character.encode("utf-8", "replace")):
                    following.add(found.end())
            if (found := IGNORED.match(body, at)) and found.end() not in seen:
                seen.add(found.end())
                waiting.append(found.end())
        places = following
        if not places:
            break
    return places


def written(character, charsets):
    if character < "\x80":
        return {character.encode()}
    found = set()
    for charset in charsets:
        try:
            found.add(character.encode(charset))
        except (UnicodeEncodeError, LookupError):
            pass
    return found


def common(old, new, i, j):
    """How many bytes are the same from two places on."""
    most = min(len(old) - i, len(new) - j)
    n, step = 0, 1 << 12
    while n < most:
        size = min(step, most - n)
        if old[i + n : i + n + size] == new[j + n : j + n + size]:
            n += size
        elif size == 1:
            break
        else:
            step = max(1, size // 2)
    return n


def beginnings(text, charsets):
    """The bytes that a text can begin with."""
    if not text:
        return frozenset(range(256))
    return frozenset(b"&\\\t\r\n").union(octets[0] for octets in written(text[0], charsets))


def exchanges(old, new, place, changed, charsets):
    """The places behind the next exchange, the likeliest first: it begins at the first
    difference, or where its two texts begin alike."""
    i, j, k, same = place
    old_text, new_text = changed[k]
    firsts = beginnings(old_text, charsets), beginnings(new_text, charsets)
    # As far as texts can be alike, in the longest way to write them.
    reach = min(same, 12 * min(len(old_text), len(new_text)) + 16)
    for at in range(same, same - reach - 1, -1):
        is_old = not old_text or (i + at < len(old) and old[i + at] in firsts[0])
        is_new = not new_text or (j + at < len(new) and new[j + at] in firsts[1])
        if is_old and is_new:
            for old_end in ends(old, i + at, old_text, charsets):
                for new_end in ends(new, j + at, new_text, charsets):
                    yield old_end, new_end, k + 1


def align(old, new, changed, charsets):
    """None if the new body is the old one with each pair of texts exchanged, in order; else how
    far it is, in exchanges and bytes."""
    furthest = (0, 0, 0)
    tried = set()
    waiting = [iter([(0, 0, 0)])]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
            continue
        if step in tried:
            continue
        tried.add(step)
        i, j, k = step
        same = common(old, new, i, j)
        furthest = max(furthest, (k, i + same, j + same))
        if k < len(changed):
            waiting.append(exchanges(old, new, (i, j, k, same), changed, charsets))
        elif i + same == len(old) and j + same == len(new):
            return None
    return furthest


def pairs(where, olds, news):
    """The references of a body, old and new. A <base> that is emptied is no reference any more."""
    if len(olds) != len(news):
        olds, news = list(olds), list(news)
        for idx in range(max(len(olds), len(news))):
            slots = [side[idx]["slot"] if idx < len(side) else None for side in (olds, news)]
            if slots[0] != slots[1] and slots[0] == "base[href]":
                news.insert(idx, {"slot": "base[href]", "text": ""})
    slots = [[line["slot"] for line in side] for side in (olds, news)]
    require(slots[0] == slots[1], where, "other references", *slots)
    return [(old["text"], new["text"]) for old, new in zip(olds, news) if old["text"] != new["text"]]


def decoded(part):
    payload = part.get_payload(decode=True)
    return payload if payload is not None else b""


def readable(body, charset):
    """A body in UTF-8, if in its charset bytes do not mean characters one by one; else as it
    is."""
    if charset.lower().startswith(WIDE):
        try:
            # A mark at the start is no part of the text.
            return body[:2] + body.decode(charset).encode()
        except (UnicodeError, LookupError):
            pass
    return body


def compare_bodies(where, old, new, references):
    charset = str(old.get_content_charset() or "utf-8")
    before, after = (readable(decoded(part), charset) for part in (old, new))
    changed = pairs(where, *references)
    if before == after and not changed:
        return
    charsets = dict.fromkeys(["utf-8", charset, "windows-1252"])
    at = align(before, after, changed, charsets)
    if at is not None:
        k, i, j = at
        expected = f"reference {k + 1} of {len(changed)} that changed, {changed[k]!r}" if k < len(changed) else "no more references"
        raise Different(f"{where}: differs at byte {i}, where there is {expected}\n  was {before[max(0, i - 40) : i + 80]!r}\n  now {after[max(0, j - 40) : j + 80]!r}")


# Files


def listed(path):
    """The references of each body, by number of message and part."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            found.setdefault((line["unit"] or 1, line["part"]), []).append(line)
    return found


def is_heading(part):
    return part is None or part.split(".")[-1] in ("HEADER", "MIME")


def compare(old, new, old_references, new_references):
    """Compares two files, bytes and references; returns how many messages, bodies and changed
    references there were."""
    olds, news = units(old), units(new)
    require(len(olds) == len(news), "file", "number of messages", len(olds), len(news))
    n_bodies = n_changed = 0
    known = set()
    for unit, ((old_line, old_octets), (new_line, new_octets)) in enumerate(zip(olds, news), 1):
        require(old_line == new_line, f"message {unit}", "what is before it", old_line, new_line)
        for policy_name, policy in POLICIES.items():
            where = f"message {unit} ({policy_name})"
            before, after = (email.message_from_bytes(octets, policy=policy) for octets in (old_octets, new_octets))
            require(shape(before) == shape(after), where, "other parts", shape(before), shape(after))
            for (number, old_part), (_, new_part) in zip(parts(before), parts(after)):
                if old_part is None:
                    continue
                where = f"message {unit}, part {number.rstrip(':')} ({policy_name})"
                if not number.endswith(":"):
                    compare_headings(where, old_part, new_part, policy_name)
                    texts = [(part.preamble, part.epilogue) for part in (old_part, new_part)]
                    require(texts[0] == texts[1], where, "preamble or epilogue", *texts)
                    continue
                key = (unit, number.rstrip(":"))
                references = (old_references.get(key, []), new_references.get(key, []))
                compare_bodies(where, old_part, new_part, references)
                if policy_name == "compat32":
                    known.add(key)
                    n_bodies += 1
                    n_changed += len(pairs(where, *references))
    for key in [*old_references, *new_references]:
        require(key in known or is_heading(key[1]), f"message {key[0]}", f"references are listed in part {key[1]}, which is no body")
    return len(olds), n_bodies, n_changed


def main():
    arguments = sys.argv[1:]
    if len(arguments) != 2 and (not arguments or len(arguments) % 4):
        print(__doc__, file=sys.stderr)
        return 2
    for start in range(0, len(arguments), 4):
        group = arguments[start : start + 4]
        old, new = (open(path, "rb").read() for path in group[:2])
        references = [listed(path) for path in group[2:]] or [{}, {}]
        try:
            n_messages, n_bodies, n_changed = compare(old, new, *references)
        except Different as difference:
            print(f"{group[1]}: {difference}")
            return 1
        print(f"{group[1]}: {n_messages} messages, {n_bodies} bodies, {n_changed} references changed, nothing else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
