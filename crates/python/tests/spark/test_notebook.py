"""What notebooks show, and the example notebook, which is executed."""

from __future__ import annotations

import doctest
import re
from html import unescape
from pathlib import Path

import pytest
import shards as generator
from waiting import NEVER

from relink.notebook import Explanation, explain, explanation, report
from relink._program import ProgramError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAGE = '<!DOCTYPE html><a href="b.html">b</a> <img src="&lt;script&gt;.png">'


def test_the_example_of_the_documentation():
    results = doctest.testmod(explanation)
    assert results.attempted == 1 and results.failed == 0


def test_an_explanation_has_the_steps_and_the_target():
    found = explain("../b?c", "http://example.org/a/d/f.html")
    assert found.target == "http://example.org/a/b?c"
    assert len(found.steps) == 3 and found.dialect == "web"


@pytest.mark.parametrize("reference", ["", "-x", 'a"b', "<b>", "&amp;", "a\nb", "#", "é"])
def test_any_text_can_be_explained(reference):
    found = explain(reference, "http://example.org/")
    assert found.reference == reference
    assert found.target.startswith("http://example.org/")


def test_a_reference_that_is_no_url_has_no_target():
    assert explain("http://[", "http://example.org/").target is None


@pytest.mark.parametrize(
    "arguments", [{"base": "x"}, {"base": "http://example.org/", "dialect": "x"}]
)
def test_wrong_arguments_are_exceptions(arguments):
    with pytest.raises(ProgramError, match="invalid value 'x'"):
        explain("a", **arguments)


def test_the_table_of_an_explanation_contains_texts_only():
    hostile = "<script>alert(1)</script>"
    html = Explanation(hostile, hostile, hostile, (hostile,), hostile)._repr_html_()
    assert html.count("&lt;script&gt;") == 5 and "<script" not in html


@pytest.mark.parametrize("command", ["absolutize", "relativize", "check"])
def test_a_report_is_the_page_of_the_program(tmp_path, command):
    (tmp_path / "a.html").write_text(PAGE)
    found = report(tmp_path, "--base", "http://example.org/", command=command)
    assert found.html.startswith("<!DOCTYPE html>") and "b.html" in found.html
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    assert (tmp_path / "a.html").read_text() == PAGE

    frame = re.fullmatch(
        r'<iframe sandbox="allow-scripts" srcdoc="([^"]*)"[^<>]*></iframe>', found._repr_html_()
    )
    assert unescape(frame[1]) == found.html
    found.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == found.html


def test_a_run_without_a_report_is_an_exception(tmp_path):
    with pytest.raises(ProgramError, match="--bas"):
        report(tmp_path, "--bas", "http://example.org/")
    with pytest.raises(ValueError, match="unpack"):
        report(tmp_path, command="unpack")


def test_the_example_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    for name in ("ipykernel", "matplotlib", "pandas", "warcio"):
        pytest.importorskip(name)
    notebook = nbformat.read(EXAMPLES / "link_graph.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the file has outputs"
    pages = (
        (
            f"http://h-{n % 5}.example/{n}",
            PAGE.replace("b.html", f"http://h-{n % 3}.example/").encode(),
        )
        for n in range(60)
    )
    generator.write(tmp_path / "shards", 4, pages)
    resources = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(
        notebook, timeout=NEVER, kernel_name="python3", resources=resources
    ).execute()
    outputs = [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("image/png") == 2
    html = "".join(output.data.get("text/html", "") for output in outputs if "data" in output)
    assert "steps by web" in html and 'sandbox="allow-scripts"' in html
