"""The same references as the program, and as lxml in the slots that it has, on real documents."""

import collections
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import relink

SLOTS = {("a", "href"), ("img", "src"), ("link", "href"), ("script", "src")}
COUNT = 150


@pytest.fixture(scope="module")
def documentation():
    """The documentation of Rust: the root, and a sample of its pages."""
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("skipped: there is no rustc")
    sysroot = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True, check=True)
    root = pathlib.Path(sysroot.stdout.strip(), "share/doc/rust/html")
    pages = sorted((root / "std").rglob("*.html"))
    if not pages:
        pytest.skip("skipped: the documentation of Rust is not installed")
    return root, pages[:: max(1, len(pages) // COUNT)]


def test_references_are_those_of_the_program(documentation):
    root, pages = documentation
    names = [str(page.relative_to(root)) for page in pages]
    base = "https://doc.example/"
    command = [sys.executable, "-m", "relink", "refs", "--base", base, "--format", "json"]
    command += ["--files-from", "-"]
    done = subprocess.run(
        command, cwd=root, input="\n".join(names), capture_output=True, text=True, check=False
    )
    expected = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        line = json.loads(line)
        expected[line["path"]].append(
            (line["slot"], line["kind"], line["text"], line["target"], *line["span"], line["base"], line["base_source"])
        )
    assert len(expected) > COUNT // 2, done.stderr
    for page, name in zip(pages, names):
        found = relink.references(page.read_bytes(), base + name)
        found = [(r.slot, r.kind, r.text, r.target, r.start, r.end, r.base, r.base_source) for r in found]
        assert found == expected[name], name


def test_counts_are_those_of_lxml(documentation):
    html = pytest.importorskip("lxml.html")
    total = 0
    for page in documentation[1]:
        body = page.read_bytes()
        judged = collections.Counter()
        for element, attribute, _, _ in html.fromstring(body).iterlinks():
            if (element.tag, attribute) in SLOTS:
                judged[f"{element.tag}[{attribute}]"] += 1
        found = collections.Counter(r.slot for r in relink.references(body, "https://doc.example/"))
        found = {slot: found[slot] for slot in judged}
        assert found == judged, page
        total += sum(judged.values())
    assert total > 1000
