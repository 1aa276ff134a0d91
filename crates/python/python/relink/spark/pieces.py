"""Files of a store, fetched in large pieces: a store charges and delays each request."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import BinaryIO, Optional, Union

import pyarrow

# The bytes of a piece. Two are in memory at a time.
PIECE = 32 << 20


def fetched(file: pyarrow.NativeFile, start: int, end: Optional[int]) -> Union[BinaryIO, Pieces]:
    """Returns a file whose bytes from `start` to `end` are fetched in pieces."""
    try:
        size = file.size()
    except (OSError, ValueError):
        # A server that does not say the size gives the file in one stream.
        return file
    return Pieces(file, range(start, size if end is None else min(end, size)))


class Pieces:
    """A file of which a range is fetched in pieces, the next one while the last is processed.

    Bytes outside of the range are fetched as they are read.
    """

    def __init__(self, file: pyarrow.NativeFile, within: range) -> None:
        self._file, self._within = file, within
        self._pool = ThreadPoolExecutor(1)
        self._at = 0
        # The piece that is read, the offset of it, and the next piece with its offset.
        self._piece, self._start = b"", 0
        self._next: Optional[tuple[int, Future[bytes]]] = None

    def read(self, n: int = -1) -> bytes:
        """Returns up to `n` bytes, or all that follow; none at the end."""
        if n < 0:
            return b"".join(iter(lambda: self.read(PIECE), b""))
        if not 0 <= self._at - self._start < len(self._piece):
            self._fetch(n)
        offset = self._at - self._start
        part = self._piece[offset : offset + n]
        self._at += len(part)
        return part

    def seek(self, offset: int, whence: int = 0) -> int:
        """Goes to an offset, relative to the start, the position or the end."""
        self._at = offset + (0, self._at, self._file.size())[whence]
        return self._at

    def close(self) -> None:
        """Closes the file, after a request in flight."""
        self._pool.shutdown()
        self._file.close()

    def __enter__(self) -> Pieces:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def _fetch(self, n: int) -> None:
        """Fetches the piece at the position, and begins to fetch the one after it."""
        if self._next is not None and self._next[0] == self._at:
            piece = self._next[1].result()
        else:
            piece = self._file.read_at(self._length(self._at) or n, self._at)
        self._piece, self._start, self._next = piece, self._at, None
        after = self._at + len(piece)
        if length := self._length(after):
            self._next = after, self._pool.submit(self._file.read_at, length, after)

    def _length(self, at: int) -> int:
        """Returns the length of the piece at an offset in the range; 0 outside of it."""
        return min(PIECE, self._within.stop - at) if at in self._within else 0
