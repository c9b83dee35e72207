"""What notebooks show: a picture, then the program's tables. No script; its own style alone."""

from __future__ import annotations

import base64
import html
import re
from typing import List, Optional, Sequence, Tuple

MOST_ROWS = 20

_STYLE = """<style>
.roofline{color:inherit;max-width:100%;line-height:1.4}
.roofline .scrolled{overflow-x:auto;max-width:100%;margin:.5em 0}
.roofline img{display:block;width:100%;min-width:600px;max-width:800px;height:auto;background:#fff}
.roofline table{border-collapse:collapse;font-size:.85em;font-variant-numeric:tabular-nums;margin:0}
.roofline th,.roofline td{padding:.2em .7em;text-align:left;white-space:nowrap;
color:inherit;background:transparent;border:0;border-bottom:1px solid rgba(128,128,128,.35)}
.roofline th{font-weight:600;border-bottom:2px solid rgba(128,128,128,.7)}
.roofline .n{text-align:right}
.roofline tr.total td{font-weight:600}
.roofline p{margin:.2em 0;overflow-wrap:anywhere}
.roofline summary{cursor:pointer;margin:.3em 0}
</style>"""


class Table:
    """A table of the program's Markdown."""

    def __init__(self, header: List[str], is_right: List[bool]) -> None:
        self.header = header
        self.is_right = is_right
        self.rows: List[List[str]] = []


def _cells(line: str) -> List[str]:
    """Of "| a | b\\| c |"; the program escapes marks of Markdown."""
    parts = re.split(r"(?<!\\)\|", line.strip().strip("|") if line.strip() != "|" else "")
    return [re.sub(r"\\([^\w\s])", r"\1", part.strip()) for part in parts]


def parsed(markdown: str) -> Tuple[List[str], List[Table]]:
    """The lines before the first table, and all tables."""
    lead: List[str] = []
    tables: List[Table] = []
    is_inside = False
    lines = markdown.splitlines()
    for i, line in enumerate(lines):
        if not line.startswith("|"):
            is_inside = False
            if not tables and line.strip():
                text = line.strip().lstrip("# ")
                text = text[:-1] if text.endswith("\\") else text  # a line that goes on below
                lead.append(re.sub(r"\\([^\w\s])", r"\1", text))
        elif is_inside:
            if not line.startswith(("| :--", "| --:")):
                tables[-1].rows.append(_cells(line))
        else:
            is_inside = True
            marks = _cells(lines[i + 1]) if i + 1 < len(lines) else []
            tables.append(Table(_cells(line), [mark == "--:" for mark in marks]))
    return lead, tables


_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}


def _seconds(cell: str) -> float:
    """Of "~26.80 us"; 0 of what is no time."""
    found = re.fullmatch(r"~?([0-9.]+) (\w+)\*?", cell)
    return float(found.group(1)) * _UNITS.get(found.group(2), 0.0) if found else 0.0


_FIRST = ("layer", "measured", "expected", "bound", "limiter", "share")  # seen without scrolling


def _with_columns(table: Table, order: Sequence[int]) -> Table:
    chosen = Table([table.header[i] for i in order], [table.is_right[i] for i in order])
    chosen.rows = [[row[i] for i in order] for row in table.rows if len(row) == len(order)]
    return chosen


def sorted_by_time(table: Table) -> Table:
    """Its rows by falling time, measured ones first; the total stays last. A narrow page shows the
    columns that matter most."""
    first = [table.header.index(name) for name in _FIRST if name in table.header]
    table = _with_columns(table, first + [i for i in range(len(table.header)) if i not in first])
    ordered = Table(table.header, table.is_right)
    column = next((name for name in ("measured", "expected", "time") if name in table.header), None)
    ordered.rows = [row for row in table.rows if row[0] != "total"]
    if column is not None:
        at = table.header.index(column)
        ordered.rows.sort(key=lambda row: -_seconds(row[at]))
    ordered.rows += [row for row in table.rows if row[0] == "total"]
    return ordered


def _row_html(table: Table, row: Sequence[str], tag: str) -> str:
    cells = []
    for i, cell in enumerate(row):
        is_number = i < len(table.is_right) and table.is_right[i]
        cells.append(f"<{tag}{' class=n' if is_number else ''}>{html.escape(cell)}</{tag}>")
    return f"<tr{' class=total' if row and row[0] == 'total' else ''}>{''.join(cells)}</tr>"


def _whole(table: Table, rows: Sequence[Sequence[str]]) -> str:
    head = _row_html(table, table.header, "th")
    body = "\n".join(_row_html(table, row, "td") for row in rows)
    return (
        f'<div class="scrolled" tabindex="0"><table><thead>{head}</thead>\n<tbody>{body}</tbody>'
        "</table></div>"
    )


def table_html(table: Table) -> str:
    """Its first rows with its total, and all of them behind a fold."""
    totals = [row for row in table.rows if row and row[0] == "total"]
    others = [row for row in table.rows if not row or row[0] != "total"]
    if len(others) <= MOST_ROWS:
        return _whole(table, others + totals)
    return (
        _whole(table, others[:MOST_ROWS] + totals)
        + f"<details><summary>all {len(others)} rows</summary>{_whole(table, others + totals)}"
        "</details>"
    )


def picture_html(svg: str, title: str) -> str:
    """The picture on paper of its own, so that it is read on dark pages, too."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<div class="scrolled" tabindex="0"><img alt="{html.escape(title)}" '
        f'src="data:image/svg+xml;base64,{data}"></div>'
    )


def page(lead: Sequence[str], svg: Optional[str], tables: Sequence[Table]) -> str:
    """A block of HTML for a notebook's cell."""
    parts = ['<div class="roofline">', _STYLE]
    parts += [f"<p>{html.escape(line)}</p>" for line in lead]
    if svg:
        parts.append(picture_html(svg, lead[0] if lead else "roofline"))
    parts += [table_html(table) for table in tables]
    parts.append("</div>")
    return "\n".join(parts)
