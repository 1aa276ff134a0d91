"""The types of the native module. `relink` has its public names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, final

import pyarrow

__version__: str

class _Stream(Protocol):
    def read(self, n: int, /) -> bytes: ...

@final
class Reference:
    """A reference in a document."""

    def __new__(
        cls,
        slot: str,
        text: str,
        target: str | None,
        start: int,
        end: int,
        base: str | None,
        base_source: str,
        kind: str = "url",
        part: str | None = None,
    ) -> Reference: ...
    @property
    def slot(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def target(self) -> str | None: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def span(self) -> tuple[int, int]: ...
    @property
    def base(self) -> str | None: ...
    @property
    def base_source(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def part(self) -> str | None: ...

@final
class Skipped:
    """A document, or a part of one, that was not read."""

    @property
    def reason(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def extent(self) -> str: ...
    @property
    def part(self) -> str | None: ...

@final
class Unchanged:
    """A reference that could not be handled and stays unchanged."""

    @property
    def offset(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def reason(self) -> str: ...

@final
class Rewritten:
    """A document whose references were rewritten."""

    @property
    def output(self) -> bytes: ...
    @property
    def changed(self) -> bool: ...
    @property
    def edits(self) -> list[tuple[int, int, bytes]]: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def unchanged(self) -> list[Unchanged]: ...
    @property
    def skipped(self) -> list[Skipped]: ...
    @property
    def verified(self) -> bool: ...
    @property
    def verify_error(self) -> str | None: ...

@final
class Context:
    """A context, which may declare a base."""

    @property
    def source(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def url(self) -> str | None: ...
    @property
    def section(self) -> str: ...
    @property
    def span(self) -> tuple[int, int] | None: ...
    @property
    def decides(self) -> bool: ...

@final
class Base:
    """The base URL of a document, of a part of a message, or of an embedded document."""

    @property
    def part(self) -> str | None: ...
    @property
    def embedded(self) -> list[str]: ...
    @property
    def media(self) -> str: ...
    @property
    def base(self) -> str | None: ...
    @property
    def base_source(self) -> str: ...
    @property
    def chain(self) -> list[Context]: ...

@final
class Url:
    """The components of a URL reference."""

    @property
    def scheme(self) -> str | None: ...
    @property
    def authority(self) -> str | None: ...
    @property
    def user(self) -> str | None: ...
    @property
    def password(self) -> str | None: ...
    @property
    def host(self) -> str | None: ...
    @property
    def port(self) -> str | None: ...
    @property
    def path(self) -> str: ...
    @property
    def params(self) -> str | None: ...
    @property
    def query(self) -> str | None: ...
    @property
    def fragment(self) -> str | None: ...

@final
class Summary:
    """The sums of a run."""

    @property
    def documents(self) -> int: ...
    @property
    def changed(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def others(self) -> int: ...
    @property
    def octets(self) -> int: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def status(self) -> int: ...

@final
class ArchiveBatches(Iterator[tuple[pyarrow.RecordBatch, pyarrow.RecordBatch]]):
    """The batches of web archives."""

    def __iter__(self) -> ArchiveBatches: ...
    def __next__(self) -> tuple[pyarrow.RecordBatch, pyarrow.RecordBatch]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    @property
    def problems(self) -> list[pyarrow.RecordBatch]: ...

def resolve(base: str, reference: str, *, dialect: str = "web") -> str: ...
def relativize_url(
    base: str,
    target: str,
    *,
    dialect: str = "web",
    style: str = "relative",
    is_document: bool = False,
) -> str: ...
def normalize_url(url: str, *, dialect: str = "web") -> str: ...
def surt_key(url: str) -> str | None: ...
def parse_url(url: str, *, dialect: str = "web") -> Url: ...
def references(
    body: bytes,
    base: str | None = None,
    *,
    media: str | None = None,
    charset: str | None = None,
    skipped: list[Skipped] | None = None,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    limit: Mapping[str, object] | None = None,
) -> list[Reference]: ...
def absolutize(
    body: bytes,
    base: str | None = None,
    *,
    media: str | None = None,
    charset: str | None = None,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    verify: str | None = "fast",
    limit: Mapping[str, object] | None = None,
) -> Rewritten: ...
def relativize(
    body: bytes,
    base: str,
    *,
    root: str | None = None,
    style: str = "relative",
    base_element: str = "empty",
    media: str | None = None,
    charset: str | None = None,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    verify: str | None = "fast",
    limit: Mapping[str, object] | None = None,
) -> Rewritten: ...
def move(
    body: bytes,
    base: str,
    *,
    moves: Mapping[str, str],
    style: str = "keep",
    media: str | None = None,
    charset: str | None = None,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    verify: str | None = "fast",
    limit: Mapping[str, object] | None = None,
) -> Rewritten: ...
def bases(
    body: bytes,
    base: str | None = None,
    *,
    media: str | None = None,
    charset: str | None = None,
    dialect: str | None = "web",
    also: Sequence[str] | None = None,
    limit: Mapping[str, object] | None = None,
) -> list[Base]: ...
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
) -> tuple[pyarrow.RecordBatch, pyarrow.RecordBatch]: ...
def absolutize_batch(
    urls: Any,
    bodies: Any,
    content_types: Any | None = None,
    *,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    verify: str | None = "fast",
    limit: Mapping[str, object] | None = None,
) -> pyarrow.RecordBatch: ...
def scan_warc(
    source: str | PathLike[str] | _Stream | list[str | PathLike[str] | _Stream],
    *,
    start: int = 0,
    end: int | None = None,
    name: str | None = None,
    columns: Sequence[str] | None = None,
    batch_rows: int = 65536,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    limit: Mapping[str, object] | None = None,
) -> ArchiveBatches: ...
def warc_absolutize(
    source: str | PathLike[str] | _Stream | list[str | PathLike[str] | _Stream],
    *,
    start: int = 0,
    end: int | None = None,
    name: str | None = None,
    batch_rows: int = 1024,
    dialect: str | None = "web",
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    verify: str | None = "fast",
    limit: Mapping[str, object] | None = None,
) -> ArchiveBatches: ...
def convert_tree(
    command: str,
    paths: Iterable[str | PathLike[str]],
    *,
    base: str | None = None,
    on_event: Callable[[dict[str, Any]], object] | None = None,
    output: str | PathLike[str] | None = None,
    in_place: bool | None = None,
    backup: str | None = None,
    dry_run: bool | None = None,
    diff: bool | None = None,
    list_details: bool | None = None,
    force: bool | None = None,
    update: bool | None = None,
    delete: bool | None = None,
    durable: bool | None = None,
    manifest: str | PathLike[str] | None = None,
    verify: str | None = "fast",
    moves: Mapping[str, str] | None = None,
    style: str | None = None,
    map: Mapping[str | PathLike[str], str] | None = None,
    no_hints: bool | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    media_type: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    also: Sequence[str] | None = None,
    dialect: str | None = "web",
    jobs: int | None = None,
    limit: Mapping[str, object] | None = None,
) -> Summary: ...
def run_program(arguments: Sequence[str]) -> int: ...
def _panic(message: str) -> None: ...
