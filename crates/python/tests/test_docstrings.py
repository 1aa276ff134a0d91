"""The examples in docstrings and in the documentation."""

import doctest
import pathlib

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


def test_public_names_are_those_of_the_types():
    types = pathlib.Path(relink.__file__).with_name("__init__.pyi").read_text()
    for name in PUBLIC:
        assert name in types or name == "run_program", name
