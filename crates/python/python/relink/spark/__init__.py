"""relink as the map step of Spark: references and pages of web archives, and trees of files.

>>> from relink.spark import link_graph
>>> graph = link_graph(spark, ["crawl-0.warc.gz", "crawl-1.warc.gz"])  # doctest: +SKIP
>>> graph.rows.groupBy("target").count()  # doctest: +SKIP

Each task depends on its part of the input alone, so that Spark can run it again. The executors need
this package, pyarrow, and what pyarrow or fsspec needs for the paths. PySpark 3.5 and 4 are tested.
"""

from .archives import Scan, absolutize_pages, link_graph
from .counts import Counts
from .ranges import read_paths
from .tree import absolutize_files, absolutize_tree

__all__ = [
    "Counts",
    "Scan",
    "absolutize_files",
    "absolutize_pages",
    "absolutize_tree",
    "link_graph",
    "read_paths",
]
