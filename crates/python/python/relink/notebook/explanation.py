"""How one reference is resolved, step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Optional

from .._program import Run


@dataclass(frozen=True)
class Explanation:
    """How a reference is resolved. A notebook shows it as a table."""

    reference: str
    base: str
    # The rules by which the reference is read and resolved.
    dialect: str
    steps: tuple[str, ...]
    # The absolute URL; None if there is none.
    target: Optional[str]

    def __str__(self) -> str:
        steps = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        lines = [
            f"reference  {self.reference}",
            f"base       {self.base}",
            *(f"           {step}" for step in steps),
            f"target     {self.target or 'none'}",
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        steps = "".join(f"<li>{escape(step)}</li>" for step in self.steps)
        rows = [
            ("reference", f"<code>{escape(self.reference)}</code>"),
            ("base", f"<code>{escape(self.base)}</code>"),
            (
                f"steps by {escape(self.dialect)}",
                f'<ol style="margin: 0; padding-left: 1.5em">{steps}</ol>',
            ),
            ("target", f"<code>{escape(self.target)}</code>" if self.target else "none"),
        ]
        cell = 'style="text-align: left; vertical-align: top"'
        body = "".join(
            f"<tr><th {cell}>{name}</th><td {cell}>{value}</td></tr>" for name, value in rows
        )
        return f"<table>{body}</table>"


def explain(reference: str, base: str, *, dialect: str = "web") -> Explanation:
    """Returns how a reference is resolved against a base URL.

    `dialect` is one of the rules of `relink explain --dialect`. Raises ProgramError if the base is
    not an absolute URL, or the dialect is not known.

    >>> print(explain("../b?c", "http://example.org/a/d/f.html"))
    reference  ../b?c
    base       http://example.org/a/d/f.html
               1. its path is relative: the path of the base is used up to its last slash, /a/d/
               2. joined: /a/d/../b
               3. without . and .. segments, and normalized: /a/b
    target     http://example.org/a/b?c
    """
    document = f'<!DOCTYPE html><a href="{escape(reference)}">'.encode()
    options = [
        "--type",
        "text/html",
        "--base",
        base,
        "--dialect",
        dialect,
        "--format",
        "json",
        "--no-config",
    ]
    run = Run(["explain", *options, "--", "-:1"], document)
    if run.status != 0:
        raise run.error()
    lines = map(json.loads, run.output.splitlines())
    found = next(line for line in lines if line["type"] == "explanation")
    return Explanation(
        reference=found["text"],
        base=found["base"] or base,
        dialect=found["dialect"],
        steps=tuple(found["steps"]),
        target=found["target"],
    )
