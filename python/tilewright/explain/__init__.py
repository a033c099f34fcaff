"""Looking inside a compiled kernel."""

from .explanation import Explanation, explain
from .html import format_html
from .recording import NoCall, RecordedCall, record_call
from .text import format_text
from .times import by_stage, format_times

__all__ = [
    "Explanation",
    "NoCall",
    "RecordedCall",
    "by_stage",
    "explain",
    "format_html",
    "format_text",
    "format_times",
    "record_call",
]
