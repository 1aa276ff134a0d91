"""The exceptions of the package."""

from __future__ import annotations


class Error(Exception):
    """The base of all exceptions of this package.

    `path` is the file that it is about, and `offset` the position in the document, if there is one.
    """

    path: str | None
    offset: int | None

    def __init__(self, message: str = "", path: str | None = None, offset: int | None = None):
        super().__init__(message)
        self.path = path
        self.offset = offset


class UrlError(Error, ValueError):
    """A URL is not absolute, or a reference has no target."""


class MediaError(Error, ValueError):
    """The media type of a document is unknown, or documents of that type are not read."""


class OptionError(Error, ValueError):
    """An option has an invalid value, or options exclude each other."""


class DocumentError(Error):
    """A document cannot be read."""


class RunError(Error):
    """A run over a tree ended before its time."""


class InternalError(Error):
    """The native code panicked: a bug of this package."""


for _error in (Error, UrlError, MediaError, OptionError, DocumentError, RunError, InternalError):
    _error.__module__ = "relink"
