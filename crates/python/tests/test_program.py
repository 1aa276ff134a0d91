"""The script `relink`: exit statuses, pipes and signals are those of the program."""

import os
import signal
import subprocess
import sys
import sysconfig

import pytest
from waiting import NEVER

SCRIPT = os.path.join(sysconfig.get_path("scripts"), "relink")


def run(*arguments, **options):
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False, **options)


def test_the_script_is_the_program(tmp_path):
    (tmp_path / "a.html").write_text("<a href=b>")
    done = run("refs", "a.html", "--base", "http://h/a.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "a.html:1:9: a[href] b -> http://h/b\n")
    assert run("--version").stdout.startswith("relink ")
    module = subprocess.run([sys.executable, "-m", "relink", "--version"], capture_output=True, text=True, check=True)
    assert module.stdout == run("--version").stdout


def test_the_script_starts_without_what_notebooks_need():
    code = "import sys, relink._main; print(*(set(sys.argv[1:]) & {*sys.modules}))"
    slow = ["dataclasses", "inspect", "pathlib", "relink.notebook", "subprocess", "typing"]

    def loaded(code):
        done = subprocess.run([sys.executable, "-c", code, *slow], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    # Those that Python itself imports at its start, with the start files of the environment.
    assert loaded(code) <= loaded(code.replace(", relink._main", ""))
    # They are there when they are asked for.
    code = "import relink; print(relink.notebook.__name__, relink.report is relink.notebook.report)"
    assert loaded(code) == {"relink.notebook", "True"}


def test_statuses_and_messages_are_those_of_the_program(tmp_path):
    missing = run("refs", "absent", cwd=tmp_path)
    assert missing.returncode == 2 and missing.stderr.startswith("absent: cannot read")
    (tmp_path / "a.html").write_text("<a href=missing.html>")
    assert run("check", ".", cwd=tmp_path).returncode == 1
    assert run("refs", "--unknown").returncode == 2


def test_arguments_may_be_other_bytes_than_utf8(tmp_path):
    if os.name != "posix":
        pytest.skip("names of files are text there")
    name = b"\xff.html"
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(b"<a href=b>")
    done = subprocess.run([os.fsencode(SCRIPT), b"refs", name], cwd=tmp_path, capture_output=True, check=False)
    assert b"a[href] b" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_closed_pipe_and_a_signal_end_it(tmp_path):
    page = "<a href=b>" * 200_000
    (tmp_path / "a.html").write_text(page)
    refs = [SCRIPT, "refs", "a.html"]
    with subprocess.Popen(refs, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
    # It waits for its input, when it has read more than a pipe holds.
    with subprocess.Popen([SCRIPT, "refs", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b"<p>text" * 200_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=NEVER) == -signal.SIGINT
        assert b"Traceback" not in process.stderr.read()
