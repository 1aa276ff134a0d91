"""Runs commands in turn and measures each: wall time, processor time, peak memory.

Every command is a child process in a group of its own, waited for with `os.wait4`, so that the
numbers are those of the kernel. The kernel counts the memory of this process at the fork into the
peak of a child: less than that, the `floor` of a run, cannot be measured.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Callable, Optional


class Failed(Exception):
    """A command ended with an error."""


@dataclass
class Run:
    """What one run of a command took: seconds and bytes."""

    wall: float
    user: float
    system: float
    peak: int
    floor: int = 0
    output: bytes = b""
    # The seconds of processor time of the first thread, if the system counts them.
    first: Optional[float] = None

    @property
    def cpu(self):
        return self.user + self.system


@dataclass
class Engine:
    """A command that is compared with others."""

    name: str
    command: list
    # Called before each run, outside of the measured time.
    prepare: Optional[Callable] = None
    # Makes another run of a run and its output, for a command that measures itself.
    read: Optional[Callable] = None
    cwd: Optional[str] = None
    # The number of cores that the command may use; all if it is None.
    cores: Optional[int] = None
    # The statuses with which it ends if nothing failed.
    accepts: tuple = (0,)
    environment: dict = field(default_factory=dict)


_running = None


def say(text):
    print(text, file=sys.stderr, flush=True)


def stop_running():
    """Ends the command that runs, with all of its children."""
    if _running is not None:
        try:
            os.killpg(_running.pid, signal.SIGKILL)
            os.wait4(_running.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def run(command, *, cwd=None, cores=None, keep=False, environment=None, accepts=(0,)):
    """Runs a command to its end, its output kept or dropped. Raises Failed if it ends with another
    status than those that it accepts."""
    global _running
    # The last cores: the first one has most of the interrupts.
    allowed = sorted(os.sched_getaffinity(0))[-cores:] if cores else None
    pin = (lambda: os.sched_setaffinity(0, allowed)) if allowed else None
    command = [str(word) for word in command]
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as out:
        floor = _memory()
        started = time.perf_counter()
        try:
            child = subprocess.Popen(
                command,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=out if keep else subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                preexec_fn=pin,
            )
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        _running = child
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - started
        first = _of_first_thread(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        _running = None
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in accepts:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-3:]
            raise Failed(f"{' '.join(command)[:300]} ended with {child.returncode}: {' / '.join(last)}")
        out.seek(0)
        # Linux counts in KiB, macOS in bytes.
        unit = 1 if sys.platform == "darwin" else 1024
        peak, output = usage.ru_maxrss * unit, out.read() if keep else b""
        return Run(wall, usage.ru_utime, usage.ru_stime, peak, floor, output, first)


def _of_first_thread(process):
    """The seconds of processor time of the first thread of a process that has ended, and that nobody
    has waited for."""
    try:
        with open(f"/proc/{process}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9
    except OSError:
        return None


def _memory():
    """The bytes of memory that this process has now."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def alternate(engines, n_runs, skip, label):
    """Runs all engines in turn, A B C A B C. Yields the engine, the number of the run, and the Run.

    The first run of each is not measured. An engine that fails is passed to `skip`, and does not run
    again.
    """
    failed = set()
    for number in range(-1, n_runs):
        for engine in engines:
            if engine.name in failed:
                continue
            try:
                if engine.prepare:
                    engine.prepare()
                taken = run(
                    engine.command,
                    cwd=engine.cwd,
                    cores=engine.cores,
                    keep=engine.read is not None,
                    environment=engine.environment,
                    accepts=engine.accepts,
                )
                if engine.read:
                    taken = engine.read(taken)
            except Failed as error:
                failed.add(engine.name)
                skip(f"{label}: {engine.name}: {error}")
                continue
            if number >= 0:
                yield engine, number, taken


class OtherWork:
    """How much of the machine other processes took since this was made."""

    def __init__(self):
        self.started = time.perf_counter()
        self.busy = self._busy()
        self.own = self._own()

    @staticmethod
    def _busy():
        """The seconds that all cores were busy, or given to other machines."""
        try:
            with open("/proc/stat") as file:
                fields = [int(number) for number in file.readline().split()[1:9]]
        except OSError:
            return None
        user, nice, system, _idle, _wait, irq, soft, steal = fields
        return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _own():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    def cores(self):
        """The mean number of cores, or None if the system does not count."""
        busy = self._busy()
        if busy is None or self.busy is None:
            return None
        seconds = max(time.perf_counter() - self.started, 0.01)
        return max(0.0, (busy - self.busy - (self._own() - self.own)) / seconds)
