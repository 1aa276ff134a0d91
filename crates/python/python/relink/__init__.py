"""Finds the references in documents, and makes them absolute, relative, or correct for a new URL.

>>> import relink
>>> [r.target for r in relink.references(b"<a href=c>", "http://example.org/a/b")]
['http://example.org/a/c']
"""

from collections import namedtuple as _namedtuple
from importlib import import_module as _import_module

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

__version__ = _native.__version__


class ReferencesBatch(_namedtuple("ReferencesBatch", ["references", "errors"])):
    """The result of `references_batch`: two record batches."""

    __slots__ = ()


def references_batch(urls, bodies, content_types=None, **options):
    return ReferencesBatch(*_native.references_batch(urls, bodies, content_types, **options))


references_batch.__doc__ = _native.references_batch.__doc__

# They import much that the program, and most of the package, do not need.
_OF_NOTEBOOKS = ("explain", "notebook", "report")

__all__ = [*(name for name in dir() if not name.startswith("_")), *_OF_NOTEBOOKS]


def __getattr__(name):
    if name in _OF_NOTEBOOKS:
        # An import statement would ask for the attribute, thus end here again.
        notebook = _import_module(".notebook", __name__)
        return notebook if name == "notebook" else getattr(notebook, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
