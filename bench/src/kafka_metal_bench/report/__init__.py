"""Create README.md, report.html and plots from results.json."""

from __future__ import annotations

from .write import write_report

__all__ = ["write_report"]
