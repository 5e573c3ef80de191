"""The rows of a data frame of pandas as records. Kindred imports pandas for nobody: whoever has a
frame has imported it."""

from __future__ import annotations

import sys
from typing import Any, Iterator

from .errors import InvalidArgument

ROWS_AT_ONCE = 1000


def is_frame(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def records_of_frame(frame: Any, id_column: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Its rows without what is missing, and before each what the frame's index calls it: the id of
    one that has none under `id_column`."""
    columns = [str(column) for column in frame.columns]
    twice = [column for column in columns if columns.count(column) > 1]
    if twice:
        raise InvalidArgument(f"frame: expected columns of different names, found {twice[0]!r} "
                              f"{columns.count(twice[0])} times")
    if id_column not in columns and not frame.index.is_unique:
        found = frame.index[frame.index.duplicated()][0]
        raise InvalidArgument(f"frame: expected a column of ids (id=\"...\"), or an index without "
                              f"duplicates, found {found!r} twice")

    from pandas import isna
    from pandas.api.types import is_scalar
    for start in range(0, len(frame), ROWS_AT_ONCE):
        part = frame.iloc[start:start + ROWS_AT_ONCE]
        values = zip(*(part[column].tolist() for column in frame.columns))
        for name, row in zip(part.index, values):
            yield str(name), {column: _plain(value) for column, value in zip(columns, row)
                              if not (is_scalar(value) and isna(value))}


def _plain(value: Any) -> Any:
    """An array as a list, and a date or time as text, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value
