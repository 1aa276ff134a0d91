"""The script `relink`: the program."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of the process, and returns its exit status."""
    # Signals have the effect that they have on a program without Python.
    for name in ("SIGINT", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    return _native.run_program(["relink", *sys.argv[1:]])
