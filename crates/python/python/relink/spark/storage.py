"""Files by path or URL, as pyarrow and fsspec open them."""

from __future__ import annotations

import os
import posixpath
import re
from typing import BinaryIO, Iterable, Iterator, NamedTuple, Optional
from urllib.parse import unquote

import pyarrow
from pyarrow import fs

import relink

from .pieces import fetched

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


class Entry(NamedTuple):
    """A file or directory of a listing. `name` is its path below the directory that was listed."""

    name: str
    is_directory: bool
    # Of a directory, which a walk does not enter: it may contain itself.
    is_link: bool
    size: int


def absolute(location: str) -> str:
    """Returns a local path as an absolute one, for processes with another current directory."""
    return location if _SCHEME.match(location) else os.path.abspath(location)


class Location:
    """An absolute path or a URL, and the file system that it is on."""

    def __init__(self, location: str) -> None:
        scheme = _SCHEME.match(location)
        if scheme is None:
            self.system, self.path = fs.LocalFileSystem(), location
        elif scheme[1].lower() == "file":
            # Hadoop writes `file:/path`, without escapes.
            path = location[len("file:") :]
            path = unquote(re.sub("^//[^/]*", "", path)) if path.startswith("//") else path
            self.system, self.path = fs.LocalFileSystem(), path
        else:
            self.system, self.path = _by_scheme(location)
        self.is_local = isinstance(self.system, fs.LocalFileSystem)

    def child(self, name: str) -> str:
        """Returns the path of a file below this directory."""
        return posixpath.join(self.path, name)

    def size(self) -> Optional[int]:
        """Returns the size of this file; None if it is not a file."""
        info = self.system.get_file_info(self.path)
        return info.size if info.is_file else None

    def open(
        self, path: Optional[str] = None, *, start: int = 0, end: Optional[int] = None
    ) -> BinaryIO:
        """Opens this file, or another one on its file system, to read it, mostly from `start` to
        `end`."""
        file = self.system.open_input_file(self.path if path is None else path)
        return file if self.is_local else fetched(file, start, end)

    def entries(self, name: str = "") -> Iterator[Entry]:
        """Returns the files and directories in a directory below this one, sorted by name."""
        directory = self.child(name) if name else self.path
        infos = self.system.get_file_info(fs.FileSelector(directory))
        for info in sorted(infos, key=lambda info: info.base_name):
            is_directory = info.type == fs.FileType.Directory
            is_link = is_directory and self.is_local and os.path.islink(info.path)
            child = posixpath.join(name, info.base_name)
            yield Entry(child, is_directory and not is_link, is_link, info.size or 0)

    def write(self, name: str, pieces: Iterable[bytes], temporary: str) -> None:
        """Writes a file below this directory in one step.

        On a file system with directories, it is written to the path `temporary`, and then renamed.
        In an object store, an object appears when it is complete.
        """
        path = self.child(name)
        if self.is_object_store:
            self._write(path, pieces)
            return
        for file in (path, temporary):
            self.system.create_dir(posixpath.dirname(file), recursive=True)
        self._write(temporary, pieces)
        self.system.move(temporary, path)

    def remove_directory(self, path: str) -> None:
        """Removes a directory of the same file system and what is in it, if it is there."""
        if self.system.get_file_info(path).type == fs.FileType.Directory:
            self.system.delete_dir(path)

    @property
    def is_object_store(self) -> bool:
        """Returns true if the file system has objects in place of files and directories."""
        return self.system.type_name in ("s3", "gcs", "abfs")

    def _write(self, path: str, pieces: Iterable[bytes]) -> None:
        with self.system.open_output_stream(path) as file:
            for piece in pieces:
                file.write(piece)


def _by_scheme(location: str) -> tuple[fs.FileSystem, str]:
    """Returns the file system of a URL, and the path on it."""
    try:
        return fs.FileSystem.from_uri(location)
    except pyarrow.ArrowInvalid as error:
        # pyarrow does not know the scheme.
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise relink.UrlError(f"{location}: {error}; fsspec is not installed") from None
    system, path = url_to_fs(location)
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path
