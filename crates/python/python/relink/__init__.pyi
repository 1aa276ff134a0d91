"""The public names of the package, with their types."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow

from ._errors import DocumentError as DocumentError
from ._errors import Error as Error
from ._errors import InternalError as InternalError
from ._errors import MediaError as MediaError
from ._errors import OptionError as OptionError
from ._errors import RunError as RunError
from ._errors import UrlError as UrlError
from ._native import ArchiveBatches as ArchiveBatches
from ._native import Base as Base
from ._native import Context as Context
from ._native import Reference as Reference
from ._native import Rewritten as Rewritten
from ._native import Skipped as Skipped
from ._native import Summary as Summary
from ._native import Unchanged as Unchanged
from ._native import Url as Url
from ._native import absolutize as absolutize
from ._native import absolutize_batch as absolutize_batch
from ._native import bases as bases
from ._native import convert_tree as convert_tree
from ._native import move as move
from ._native import normalize_url as normalize_url
from ._native import parse_url as parse_url
from ._native import references as references
from ._native import relativize as relativize
from ._native import relativize_url as relativize_url
from ._native import resolve as resolve
from ._native import scan_warc as scan_warc
from ._native import surt_key as surt_key
from ._native import warc_absolutize as warc_absolutize
from .notebook import explain as explain
from .notebook import report as report

__version__: str

class ReferencesBatch(NamedTuple):
    """The result of `references_batch`."""

    references: pyarrow.RecordBatch
    errors: pyarrow.RecordBatch

def references_batch(
    urls: Any,
    bodies: Any,
    content_types: Any | None = None,
    *,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    limit: Mapping[str, object] | None = None,
) -> ReferencesBatch: ...
