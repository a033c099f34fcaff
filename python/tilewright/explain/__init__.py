"""Looking inside a compiled kernel."""

from .times import by_stage, format_times

__all__ = ["by_stage", "format_times"]
