"""Processes of this machine, as /proc has them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Callable, Optional

TICKS = os.sysconf("SC_CLK_TCK")


def executors(ancestor: Optional[int] = None) -> list[int]:
    """Returns the process ids of the executors that a process, or this one, started."""

    def is_executor(pid: int) -> bool:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in command

    return [pid for pid in those(is_executor) if is_descendant(pid, ancestor or os.getpid())]


def those(is_one: Callable[[int], bool]) -> list[int]:
    """Returns the ids of the processes for which a function returns true."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if is_one(int(directory.name)):
                found.append(int(directory.name))
        except OSError:
            continue
    return found


def readers(path: Path) -> list[int]:
    """Returns the process ids of those that have a file open, without this one."""
    return sorted(set(having_open(str(path))) - {os.getpid()})


def having_open(name: str) -> list[int]:
    def has_open(pid: int) -> bool:
        return any(os.readlink(link) == name for link in Path(f"/proc/{pid}/fd").iterdir())

    return those(has_open)


def of_port(port: int) -> list[int]:
    """Returns the process ids of those that have a connection from this port of this machine."""
    lines = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    fields = [line.split() for line in lines.splitlines()]
    inodes = [field[9] for field in fields if re.fullmatch(rf"[0-9A-F]+:{port:04X}", field[1])]
    return [pid for inode in inodes if inode != "0" for pid in having_open(f"socket:[{inode}]")]


def stat(pid: int) -> list[str]:
    """Returns the fields after the name, which is in parentheses and may contain spaces."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def is_descendant(pid: int, ancestor: int) -> bool:
    """Returns true for a process, a child of it, a child of that, and so on."""
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(stat(pid)[1])
        except OSError:
            return False
    return False


def descendants(ancestor: int) -> list[int]:
    """Returns a process, and those that it and they started."""
    return those(lambda pid: is_descendant(pid, ancestor))


def processor_time(pids: list[int]) -> float:
    """Returns the seconds of processor time of processes, and of their children that have ended."""
    ticks = 0
    for pid in pids:
        try:
            ticks += sum(map(int, stat(pid)[11:15]))
        except OSError:
            # The parent of one that has just ended has its time.
            continue
    return ticks / TICKS
