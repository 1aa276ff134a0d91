"""Objects that notebooks show as HTML: how a reference is resolved, and the report of a run."""

from .explanation import Explanation, explain
from .report import Report, report

__all__ = ["Explanation", "Report", "explain", "report"]
