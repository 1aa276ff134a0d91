"""Files that the program converts in a directory of the machine that runs a task."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Optional

from .._program import Run


class Result(NamedTuple):
    """The result for a file. A file that failed has no output."""

    status: str
    n_edits: int = 0
    reason: Optional[str] = None


class Conversion:
    """A directory with a few files of a tree, and their outputs after `run`.

    The files have the relative paths of the tree, so that the program finds their types, URLs,
    and header sections next to documents as in the whole tree.
    """

    def __init__(self, base: str, options: tuple[str, ...] = ()) -> None:
        self._base, self._options = base, options
        self._directory = tempfile.TemporaryDirectory(prefix="relink-")
        self._source = Path(self._directory.name) / "source"
        self._output = Path(self._directory.name) / "output"
        self._source.mkdir()

    def __enter__(self) -> Conversion:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._directory.cleanup()

    def add(self, name: str) -> Path:
        """Returns the path to which the caller writes a file of the tree.

        Raises ValueError for a name that is no path below a directory: objects of a store may have
        any name.
        """
        if not all(part not in ("", ".", "..") and "\0" not in part for part in name.split("/")):
            raise ValueError(f"the name {name!r} is no path below a directory")
        path = self._source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def output(self, name: str) -> Path:
        """Returns the path of the output of a file."""
        return self._output / name

    def run(self, names: list[str]) -> dict[str, Result]:
        """Converts the files, and returns the result for each.

        Raises ProgramError if the program did not run to its end.
        """
        command = ["absolutize", "--base", self._base, *self._options, "--no-config", "--quiet"]
        run = Run(
            [
                *command,
                "-j",
                "1",
                "--format",
                "json",
                "-o",
                str(self._output),
                "--",
                str(self._source),
            ]
        )
        documents, reasons, is_complete = _records(run.output)
        # A file that fails makes the status 2; the others are there.
        if not is_complete:
            raise run.error()
        return {name: self._result(name, documents.get(name), reasons.get(name)) for name in names}

    def _result(self, name: str, document: Optional[dict], reason: Optional[str]) -> Result:
        if not self.output(name).is_file():
            return Result("failed", 0, reason or "the program wrote no output")
        if document is None:
            return Result("copied", 0, reason)
        n_edits = document["references"].get("rewritten", 0)
        return Result("rewritten" if document["changed"] else "unchanged", n_edits, reason)


def _records(output: str) -> tuple[dict[str, dict], dict[str, str], bool]:
    """Returns the documents of a run, the first reason why something in each was skipped, and
    whether the run ended."""
    documents: dict[str, dict] = {}
    reasons: dict[str, str] = {}
    is_complete = False
    for line in output.splitlines():
        # Most lines are references, which need not be parsed.
        if line.startswith(('{"type":"document"', '{"type":"skipped"')):
            record = json.loads(line)
            name = record["path"]
            if record["type"] == "skipped":
                reasons.setdefault(name, record["reason"])
            else:
                documents[name] = _with(documents.get(name), record)
        is_complete = line.startswith('{"type":"summary"')
    return documents, reasons, is_complete


def _with(known: Optional[dict], record: dict) -> dict:
    """Returns the record of a file with several documents, such as a mailbox."""
    if known is None:
        return record
    n_edits = known["references"].get("rewritten", 0) + record["references"].get("rewritten", 0)
    changed = known["changed"] or record["changed"]
    return {**record, "changed": changed, "references": {"rewritten": n_edits}}
