"""The program of this package, run by functions whose results it makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig

from ._errors import Error


class ProgramError(Error):
    """The program cannot be found, or has failed; `messages` is what it printed."""

    def __init__(self, message: str, messages: str = "") -> None:
        super().__init__(message)
        self.messages = messages


class Run:
    """The result of a run of the program."""

    def __init__(self, arguments: list[str], standard_input: bytes = b"") -> None:
        command = [_path(), *arguments]
        done = subprocess.run(command, input=standard_input, capture_output=True, check=False)
        self.status = done.returncode
        self.output = done.stdout.decode(errors="replace")
        self.messages = done.stderr.decode(errors="replace").strip()

    def error(self) -> ProgramError:
        """Returns the exception for a run that has failed."""
        lines = self.messages.splitlines() or [f"relink ended with status {self.status}"]
        return ProgramError(lines[0].removeprefix("error: "), self.messages)


def _path() -> str:
    """Returns the path of the program: that of this environment, else the first one in PATH."""
    name = "relink.exe" if os.name == "nt" else "relink"
    installed = os.path.join(sysconfig.get_path("scripts"), name)
    found = installed if os.access(installed, os.X_OK) else shutil.which("relink")
    if found is None:
        raise ProgramError("the program relink is not installed")
    return found
