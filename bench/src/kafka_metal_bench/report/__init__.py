"""The report: results.json in, README.md, report.html and plots out."""

from __future__ import annotations

from .write import write_report

__all__ = ["write_report"]
