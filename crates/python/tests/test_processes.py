"""Threads and processes: spawned, forked, and many at once."""

import multiprocessing
import threading
import time

import pytest

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
        assert pending.get(timeout=60) == 1


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


def test_other_threads_run_while_a_document_is_read():
    page = b"<a href=b>C</a>" * 400_000
    done = threading.Event()
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    relink.absolutize(page, "http://h/")
    end = time.perf_counter()
    done.set()
    thread.join()
    inside = [time for time in ticks if start < time < end]
    assert len(inside) > 5, (end - start, len(inside))
