"""Finds the references in documents, and makes them absolute, relative, or correct for a new URL.

>>> import relink
>>> [r.target for r in relink.references(b"<a href=c>", "http://example.org/a/b")]
['http://example.org/a/c']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _native
from ._errors import (
    DocumentError,
    Error,
    InternalError,
    MediaError,
    OptionError,
    RunError,
    UrlError,
)
from ._native import (
    ArchiveBatches,
    Base,
    Context,
    Reference,
    Rewritten,
    Skipped,
    Summary,
    Unchanged,
    Url,
    absolutize,
    absolutize_batch,
    bases,
    convert_tree,
    move,
    normalize_url,
    parse_url,
    references,
    relativize,
    relativize_url,
    resolve,
    scan_warc,
    surt_key,
    warc_absolutize,
)
from .notebook import explain, report

if TYPE_CHECKING:
    import pyarrow

__version__ = _native.__version__


class ReferencesBatch(NamedTuple):
    """The result of `references_batch`."""

    references: pyarrow.RecordBatch
    errors: pyarrow.RecordBatch


def references_batch(urls, bodies, content_types=None, **options):
    return ReferencesBatch(*_native.references_batch(urls, bodies, content_types, **options))


references_batch.__doc__ = _native.references_batch.__doc__
