"""Threads and processes: spawned, forked, and many at once."""

import faulthandler
import multiprocessing
import os
import sys
import threading
import time

import pytest
from waiting import NEVER, wait_until

import relink

PAGE = b"<a href=b>C</a>" * 20_000


def count(number):
    return len(relink.references(PAGE, f"http://h.example/{number}/"))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_return_references(method):
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map(count, range(4)) == [20_000] * 4
        (reference,) = pool.starmap(relink.references, [(b"<a href=b>", "http://h/")])[0]
    assert reference.target == "http://h/b"


def test_a_fork_after_a_run_with_threads_works(tmp_path):
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork")
    (tmp_path / "a.html").write_text("<a href=b>")
    relink.convert_tree("absolutize", [tmp_path], base="http://h/", dry_run=True)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pending = pool.apply_async(run, (tmp_path,))
        assert pending.get(timeout=NEVER) == 1


def run(path):
    return relink.convert_tree("absolutize", [path], base="http://h/", dry_run=True).changed


def test_threads_return_the_same():
    results = [None] * 8
    expected = relink.references(PAGE, "http://h/")

    def work(number):
        results[number] = relink.references(PAGE, "http://h/") == expected

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


# Python may be built without the lock that lets one thread run at a time.
HAS_LOCK = getattr(sys, "_is_gil_enabled", lambda: True)()

# A call of each kind that works without the interpreter, for a part of a second.
CALLS = {
    "references": lambda site: relink.references(PAGE, "http://h/"),
    "absolutize": lambda site: relink.absolutize(PAGE, "http://h/"),
    "relativize": lambda site: relink.relativize(PAGE, "http://h/"),
    "bases": lambda site: relink.bases(PAGE, "http://h/"),
    "convert_tree": lambda site: relink.convert_tree("absolutize", [site], base="http://h/", dry_run=True),
}


@pytest.mark.skipif(not HAS_LOCK, reason="this interpreter has no lock")
@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_during_a_call(name, tmp_path, never_switches):
    (tmp_path / "a.html").write_bytes(PAGE)
    turn = Turn()
    # What holds the interpreter keeps the other thread waiting, however long it takes.
    for _ in range(20):
        sorted(range(20_000), reverse=True)
    assert not turn.has_come
    end = time.monotonic() + NEVER
    # A call may have ended before the system let the thread run.
    while not turn.has_come:
        CALLS[name](tmp_path)
        assert time.monotonic() < end, "the interpreter is held"
    turn.thread.join()


class Turn:
    """A thread that notes that it runs, as soon as another one lets it."""

    def __init__(self):
        self.has_come = False
        self.gate = threading.Lock()
        self.gate.acquire()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        # Opening it gives nobody the interpreter.
        self.gate.release()

    def run(self):
        self.gate.acquire()
        self.has_come = True


@pytest.fixture
def never_switches():
    """Keeps the interpreter with a thread until it gives it up itself, as a call does that waits or
    works without it."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(100 * NEVER)
    yield
    sys.setswitchinterval(interval)


def test_other_threads_run_while_an_archive_waits_for_its_octets(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names")
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.warc"
    os.mkfifo(path)
    record = (
        b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/\r\n"
        b"Content-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n"
    )
    # Open for both, so that nobody waits for the other to open it.
    pipe = os.open(path, os.O_RDWR)
    os.write(pipe, record[:20])

    def feed():
        wait_until("the first part is read", lambda: n_octets_in(pipe) == 0)
        os.write(pipe, record[20:])
        os.close(pipe)

    thread = threading.Thread(target=feed)
    thread.start()
    # A read that held the interpreter would never end: the rest comes from a thread that needs it.
    faulthandler.dump_traceback_later(NEVER, exit=True)
    try:
        found = [row["target"] for rows, _ in relink.scan_warc(path) for row in rows.to_pylist()]
    finally:
        faulthandler.cancel_dump_traceback_later()
    thread.join()
    assert found == ["http://h/b"]


def n_octets_in(pipe):
    """Returns how many bytes nobody has read yet."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    size = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, size)
    return int.from_bytes(size, sys.byteorder)
