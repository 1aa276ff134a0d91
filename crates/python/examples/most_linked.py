"""Prints the hosts that pages of other hosts link to most: a job for spark-submit.

    spark-submit --master 'local-cluster[2,1,1024]' most_linked.py ARCHIVE ... [--output DIRECTORY]

An ARCHIVE is a path, a URL, or a pattern of local paths. docs/spark.md describes the job.
"""

from __future__ import annotations

import argparse
import glob

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from relink.spark import link_graph

# The host of an absolute URL, without user and port.
HOST = r"^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]+)"


def most_linked(links: DataFrame, n_hosts: int) -> DataFrame:
    """Returns the hosts with most references from pages of other hosts, and the number of these."""
    hosts = links.select(
        F.lower(F.regexp_extract("page", HOST, 1)).alias("origin"),
        F.lower(F.regexp_extract("target", HOST, 1)).alias("host"),
    )
    external = hosts.where("host <> '' AND host <> origin")
    counts = external.groupBy("host").agg(F.count("*").alias("references"))
    return counts.orderBy(F.desc("references"), "host").limit(n_hosts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archives", nargs="+")
    parser.add_argument(
        "--output", help="a new directory for the link graph and the problems, as Parquet"
    )
    parser.add_argument("--split", type=int, help="bytes of an archive that a task reads")
    parser.add_argument("--top", type=int, default=20)
    options = parser.parse_args()
    paths = [path for name in options.archives for path in sorted(glob.glob(name)) or [name]]

    spark = SparkSession.builder.appName("most linked hosts").getOrCreate()
    graph = link_graph(spark, paths, split=options.split)
    if options.output:
        graph.write(options.output)
        links = spark.read.parquet(f"{options.output}/output=rows")
        problems = spark.read.parquet(options.output).where("output = 'problems'")
    else:
        graph.persist()
        links, problems = graph.rows, graph.problems
    for row in most_linked(links, options.top).collect():
        print(f"{row.references:10} {row.host}")
    for row in problems.select("archive", "offset", "reason").collect():
        print(f"{row.archive}: record at {row.offset}: {row.reason}")
    graph.check()
    spark.stop()


if __name__ == "__main__":
    main()
