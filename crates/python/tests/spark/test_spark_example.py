"""The example job, run by spark-submit as docs/spark.md runs it."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import re
import signal
import subprocess
import sys
import termios
from collections import Counter
from pathlib import Path
from typing import Optional
from urllib.parse import urlsplit

import pytest
import shards as generator
from processes import executors, is_descendant, readers
from rows import COLUMNS, references
from store import served
from waiting import wait_for, wait_until

CRATE = Path(__file__).resolve().parents[2]
PAGE = CRATE.parents[1] / "docs/spark.md"
SUBMIT = "spark-submit --master 'local-cluster[2,1,1024]' crates/python/examples/most_linked.py"


def submitted(arguments: str, directory: Path) -> subprocess.Popen:
    """Starts the job on a cluster of two executors, in a directory with this checkout."""
    (directory / "crates").symlink_to(CRATE.parent)
    variables = {
        "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
        "PYSPARK_PYTHON": sys.executable,
        # The cluster makes a directory for the logs of its executors.
        "SPARK_WORKER_DIR": str(directory / "work"),
    }
    pipes = {"stdout": subprocess.PIPE, "stderr": (directory / "errors").open("wb"), "text": True}
    command = ["bash", "-c", f"exec {SUBMIT} {arguments}"]
    return subprocess.Popen(command, env={**os.environ, **variables}, cwd=directory, **pipes)


def output(job: subprocess.Popen, directory: Path) -> list[list[str]]:
    """Returns the words of the lines that a job prints."""
    lines = job.communicate()[0].splitlines()
    assert job.returncode == 0, (directory / "errors").read_text()[-2000:]
    return [line.split() for line in lines]


def most_linked(found: Counter, n_hosts: int) -> list[list[str]]:
    """Returns what the job prints of references."""
    page, target = COLUMNS.index("page"), COLUMNS.index("target")
    hosts: Counter = Counter()
    for reference, n in found.items():
        host = urlsplit(reference[target] or "").hostname
        if host and host != urlsplit(reference[page]).hostname:
            hosts[host] += n
    most = sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:n_hosts]
    return [[str(n), host] for host, n in most]


def test_the_job_fetches_an_archive_once_in_pieces_of_32_mib(some_shards, tmp_path):
    # More than a piece: text that gzip makes half as long.
    octets = random.Random(1)
    page = [f'<a href="http://h.example/{n}">' + octets.randbytes(1 << 20).hex() for n in range(40)]
    pages = ((f"http://large.example/{n}", text.encode()) for n, text in enumerate(page))
    (large,) = generator.write(tmp_path / "large", 1, pages)
    bodies = {Path(path).name: Path(path).read_bytes() for path in some_shards}
    bodies["large.warc.gz"] = large.read_bytes()
    with served(bodies) as store:
        missing = store.url("missing.warc.gz")
        archives = [*map(store.url, bodies), missing]
        quoted = " ".join(f"'{archive}'" for archive in archives)
        lines = output(submitted(f"{quoted} --top 3 --output out", tmp_path), tmp_path)
        expected = most_linked(references([*some_shards, str(large)]), 3)
        assert lines[: len(expected)] == expected
        assert [line[0] for line in lines[len(expected) :]] == [missing + ":"]
        assert (tmp_path / "out/_SUCCESS").exists()

        size, piece = len(bodies["large.warc.gz"]), 32 << 20
        assert piece < size < 2 * piece
        wanted = [(name, 0, len(body) - 1) for name, body in bodies.items() if len(body) <= piece]
        wanted += [("large.warc.gz", 0, piece - 1), ("large.warc.gz", piece, size - 1)]
        assert sorted(store.gets) == sorted(wanted)
        assert {name: store.heads[name] for name in bodies} == {name: 1 for name in bodies}


@pytest.mark.skipif(not PAGE.exists(), reason="not in a checkout")
def test_the_job_as_printed_whose_executor_is_killed(shards, expected, tmp_path):
    (command,) = re.findall(rf"^    {re.escape(SUBMIT)} (.*)$", PAGE.read_text(), re.M)
    directory = tmp_path / "shards"
    directory.mkdir()
    for shard in shards:
        (directory / Path(shard).name).symlink_to(shard)
    # An archive in the middle is a pipe, so that the job cannot end before all of it is written.
    pipe, whole = directory / Path(shards[30]).name, Path(shards[30]).read_bytes()
    pipe.unlink()
    os.mkfifo(pipe)
    job = submitted(command, tmp_path)
    try:
        end = wait_for("a task opens the pipe", lambda: opened(pipe, job))
        (reader,) = wait_for("the task has it open", lambda: readers(pipe) or None)
        os.write(end, whole[: len(whole) // 2])
        wait_until("the task has read a half", lambda: n_bytes_in(end) == 0)
        before = executors(job.pid)
        assert len(before) == 2
        (killed,) = (pid for pid in before if is_descendant(reader, pid))
        os.kill(killed, signal.SIGKILL)
        wait_until("the task is gone", lambda: reader not in readers(pipe))
        wait_until("it runs again", lambda: job.poll() is not None or readers(pipe))
        with open(end, "wb") as file:
            file.write(whole)
        assert output(job, tmp_path) == most_linked(expected, 20)
    finally:
        job.kill()


def opened(pipe: Path, job: subprocess.Popen) -> Optional[int]:
    """Opens a pipe to write to it; returns None as long as nobody reads it."""
    assert job.poll() is None, "the job ended"
    try:
        end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        assert error.errno == errno.ENXIO
        return None
    os.set_blocking(end, True)
    return end


def n_bytes_in(end: int) -> int:
    """Returns how many bytes of a pipe nobody has read yet."""
    size = bytearray(4)
    fcntl.ioctl(end, termios.FIONREAD, size)
    return int.from_bytes(size, sys.byteorder)
