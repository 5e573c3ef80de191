"""Rows of answers as tables of HTML, which notebooks show. All text is escaped."""

from __future__ import annotations

import dataclasses
import html
from typing import Any, Iterable

MOST_ROWS = 20
MOST_ITEMS = 10  # of a list in a cell
MOST_CHARACTERS = 200  # of a text in a cell
SAID_TWICE = ("term", "docid")  # fields of a row in a cell, whose word and id stand there


def table(rows: Iterable[Any]) -> str:
    """Rows of one type, a column for each field that one of them has; the first 20."""
    shown: list[Any] = []
    more = ""
    for item in rows:
        if len(shown) == MOST_ROWS:
            more = "<p>and more</p>"
            break
        shown.append(item)
    if not shown:
        return "<p>none</p>"

    fields = [field for field in dataclasses.fields(shown[0])
              if any(has(item, field) for item in shown)]
    head = "".join(f"<th>{field.name}</th>" for field in fields)
    body = "".join("<tr>" + "".join(f"<td>{cell(getattr(item, field.name))}</td>"
                                    for field in fields) + "</tr>" for item in shown)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def card(row: Any) -> str:
    """One row: a line for each field that it has, in which a list of rows is a table."""
    lines = []
    for field in dataclasses.fields(row):
        if not has(row, field):
            continue
        value = getattr(row, field.name)
        inner = cell(value)
        if isinstance(value, list) and value and dataclasses.is_dataclass(value[0]):
            inner = table(value)
        lines.append(f"<tr><th>{field.name}</th><td>{inner}</td></tr>")
    return f"<table><tbody>{''.join(lines)}</tbody></table>" if lines else "<p>nothing</p>"


def has(row: Any, field: dataclasses.Field[Any]) -> bool:
    """Whether a field tells something, as repr() has it."""
    return getattr(row, field.name) not in (field.default, None, [], {}, "")


def cell(value: Any) -> str:
    return escaped(brief(value))


def brief(value: Any) -> str:
    """A value in a line: a list with commas, a row by its fields."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        value = [f"{key}: {brief(item)}" for key, item in value.items()]
    if isinstance(value, list):
        items = [brief(item) for item in value[:MOST_ITEMS]]
        if len(value) > MOST_ITEMS:
            items.append("\u2026")
        return ", ".join(items)
    if dataclasses.is_dataclass(value):
        return " ".join(brief(getattr(value, field.name)) for field in dataclasses.fields(value)
                        if field.name not in SAID_TWICE and has(value, field))
    return "" if value is None else str(value)


def escaped(text: str) -> str:
    """Text for HTML. A byte that is not UTF-8 is written as \\udcNN."""
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS - 1] + "\u2026"
    return html.escape(text.encode("utf-8", "backslashreplace").decode())
