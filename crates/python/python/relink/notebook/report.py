"""The report of a run of the program, as the page that `--report` writes."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Union

from .._errors import OptionError
from .._program import Run

COMMANDS = ("absolutize", "relativize", "move", "check")


@dataclass(frozen=True)
class Report:
    """The report of a run that wrote nothing. A notebook shows its page in a frame."""

    html: str = field(repr=False)
    command: tuple[str, ...]
    # The height of the frame in pixels.
    height: int = 640

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # Without access to the notebook, the page can run its own script only.
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.html)}" title="Report of relink"'
            f' style="width: 100%; height: {self.height}px; border: 1px solid #8888"></iframe>'
        )


def report(
    path: Union[str, os.PathLike[str]],
    *options: str,
    command: str = "absolutize",
    height: int = 640,
) -> Report:
    """Returns the report of what a command would do with a tree or a document, and writes nothing.

    `command` is `absolutize`, `relativize`, `move` or `check`, and `options` are those of the
    program:

    >>> report("site", "--base", "https://example.org/")  # doctest: +SKIP

    Raises ProgramError if the command cannot run.
    """
    if command not in COMMANDS:
        raise OptionError(f"command must be one of {', '.join(COMMANDS)}, not {command!r}")
    # After `--`, a path may begin with a hyphen.
    arguments = [*([] if command == "check" else ["--dry-run"]), "--", os.fspath(path)]
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory) / "report.html"
        run = Run([command, *options, "--quiet", "--report", str(page), *arguments])
        # A run that finds problems, or in which a file fails, has a report.
        if not page.exists():
            raise run.error()
        html = page.read_text(encoding="utf-8")
    return Report(html, ("relink", command, *options, *arguments), height)
