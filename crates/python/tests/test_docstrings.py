"""The examples in docstrings and in the documentation."""

import doctest
import os
import pathlib
import re
import subprocess
import sysconfig
import textwrap

import pytest

import relink

PUBLIC = [name for name in dir(relink._native) if not name.startswith("_")]
DOCUMENTATION = pathlib.Path(__file__).parents[3] / "docs" / "python.md"


def run(test):
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.failed == 0
    return result.attempted


def test_every_function_has_a_docstring_with_examples_that_hold():
    finder = doctest.DocTestFinder(recurse=False)
    without = []
    for name in PUBLIC:
        value = getattr(relink, name, None) or getattr(relink._native, name)
        assert value.__doc__, name
        (test,) = finder.find(value, name, module=False, globs={}) or [None]
        if "arrow" in value.__doc__ or name.startswith("warc_"):
            pytest.importorskip("pyarrow")
        if test is None or run(test) == 0:
            without.append(name)
    assert all(name[0].isupper() or name == "run_program" for name in without), without


def test_examples_of_the_package_hold():
    assert doctest.testmod(relink).failed == 0


@pytest.mark.skipif(not DOCUMENTATION.exists(), reason="not in a checkout")
def test_examples_of_the_documentation_hold():
    text = DOCUMENTATION.read_text()
    test = doctest.DocTestParser().get_doctest(text, {"relink": relink}, "python.md", None, 0)
    assert run(test) > 5


@pytest.mark.skipif(not DOCUMENTATION.exists(), reason="not in a checkout")
def test_other_code_of_the_documentation_runs(tmp_path, monkeypatch, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    pathlib.Path("site").mkdir()
    pathlib.Path("site/index.html").write_text("<a href=index.html>")
    pathlib.Path("crawl.warc.gz").write_bytes(b"")
    names = {
        "relink": relink,
        "urls": pyarrow.array(["http://h.example/"]),
        "bodies": pyarrow.array([b"<a href=b>"]),
        "content_types": pyarrow.array(["text/html"]),
    }
    text = DOCUMENTATION.read_text()
    blocks = [match[0] for match in re.finditer(r"(?:^    .*\n)+", text, re.M)]
    blocks = [block for block in blocks if "relink." in block and ">>>" not in block]
    assert len(blocks) == 3
    for block in blocks:
        exec(textwrap.dedent(block), names)
    assert capsys.readouterr().out == "1 of 1\n"
    assert names["references"].num_rows == 1
    (hook,) = re.findall(r"^ *entry: (.*)$", text, re.M)
    scripts = sysconfig.get_path("scripts")
    monkeypatch.setenv("PATH", scripts, prepend=os.pathsep)
    subprocess.run(hook, cwd="site", shell=True, check=True)


def test_public_names_are_those_of_the_types():
    types = pathlib.Path(relink.__file__).with_name("__init__.pyi").read_text()
    for name in PUBLIC:
        assert name in types or name == "run_program", name
