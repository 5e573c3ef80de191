"""What answers are made of: rows, which are dataclasses, lists of them, and the types of
plugin/ask/questions.txt that are not made of it. answers.py has those that are."""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from typing import Any, Callable, Iterable, Iterator, Optional, TypeVar, Union

from .html_tables import card, table

if typing.TYPE_CHECKING:
    import pandas

__all__ = ["ExportedDocument", "Id", "Ingested", "Name", "Pages", "Rows", "StoredDocument", "Tag",
           "TopicName", "escaped", "unescaped"]

R = TypeVar("R", bound="Row")
WIDTH = 88
MOST_SHOWN = 5  # items of a list inside an answer
MOST_UNNAMED = 3  # fields of a row that stand there without their names


class Id(str):
    """The unique id of a document, to tell it from a text."""


Name = typing.NewType("Name", str)
"""A label, tag or term. Bytes of the index that are not UTF-8 are surrogates, as in os.fsdecode()."""


def escaped(name: str) -> str:
    """A name as JSON has it: a backslash is two, and a byte that is not UTF-8 is \\xNN."""
    return re.sub("[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xdc00:02x}",
                  name.replace("\\", "\\\\"))


def unescaped(name: str) -> str:
    """The opposite of escaped()."""
    return re.sub(r"\\(\\|x([0-9a-f]{2}))", lambda escape: chr(0xdc00 + int(escape[2], 16))
                  if escape[2] else "\\", name)


def with_strings(value: Any, change: Callable[[str], str]) -> Any:
    """What json.dumps() takes, with other strings, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, typing.Mapping):
        return {with_strings(key, change): with_strings(item, change)
                for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_strings(item, change) for item in value]
    return value


@functools.lru_cache(maxsize=None)
def reader(kind: Any, name: Callable[[str], str] = unescaped) -> Callable[[Any], Any]:
    """What makes a value of a type of what json.loads() made, and a name by `name`."""
    origin, parameters = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union:
        inner = reader(parameters[0], name)
        return lambda value: None if value is None else inner(value)
    if origin in (list, Rows):
        make: Any = origin
        inner = reader(parameters[0], name)
        return lambda value: make(inner(item) for item in value)
    if origin is dict:
        inner = reader(parameters[1], name)
        key = reader(parameters[0], name)
        return lambda value: {key(item): inner(value[item]) for item in value}
    if kind is Id:
        return lambda value: Id(name(value))
    if kind is Name:
        return name
    if isinstance(kind, type) and issubclass(kind, Row):
        return functools.partial(kind.read, name=name)
    return lambda value: value


def shown(value: Any, indent: int = 0, column: int = 0) -> str:
    """repr() for people: short, and wrapped where it is long. It begins in `column`, and its further
    lines are indented."""
    if isinstance(value, float):
        return repr(float(f"{value:.4g}"))
    if isinstance(value, str):
        return repr(str(value) if len(value) <= 60 else value[:59] + "\u2026")
    if isinstance(value, Row):
        head, tail = type(value).__name__ + "(", ")"
        fields = dataclasses.fields(value)  # few need no names, but a flag does
        is_brief = sum(str(field.type) != "bool" for field in fields) <= MOST_UNNAMED
        parts = [("" if is_brief and str(field.type) != "bool" else field.name + "=",
                  getattr(value, field.name)) for field in fields
                 if getattr(value, field.name) not in (field.default, None, [], {}, "")]
    elif isinstance(value, dict):
        head, tail = "{", "}"
        parts = [(f"{key!r}: ", item) for key, item in value.items()]
    elif isinstance(value, list):
        head, tail = "[", "]"
        parts = [("", item) for item in value[:MOST_SHOWN]]
        if len(value) > MOST_SHOWN:
            tail = f", and {len(value) - MOST_SHOWN} more]"
    else:
        return repr(value)
    indent += 2
    lines, start = [head], column
    for i, (name, item) in enumerate(parts):
        begin = (indent if i else column + len(head)) + len(name)
        text = name + shown(item, indent, begin) + (", " if i + 1 < len(parts) else tail)
        if i and (start + len(lines[-1] + text) > WIDTH or "\n" in lines[-1] + text):
            lines.append("")
            start = indent
        lines[-1] += text
    return ("\n" + " " * indent).join(map(str.rstrip, lines)) + ("" if parts else tail)


class Row:
    """A part of an answer: a dataclass."""

    __dataclass_fields__: typing.ClassVar[dict[str, dataclasses.Field[Any]]]

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _readers(cls, name: Callable[[str], str]) -> dict[str, Callable[[Any], Any]]:
        return {key: reader(kind, name) for key, kind in typing.get_type_hints(cls).items()
                if key in cls.__dataclass_fields__}

    @classmethod
    def read(cls: type[R], value: dict[str, Any], name: Callable[[str], str] = unescaped) -> R:
        return cls(**{key: read(value[key]) for key, read in cls._readers(name).items()
                      if key in value})

    def __repr__(self) -> str:
        return shown(self)

    def _repr_html_(self) -> str:
        return card(self)

    def _columns(self) -> dict[str, Any]:
        """Of a table. A tag is two columns, and so are tags."""
        columns = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            columns[field.name] = value
            for key, name in (("label", field.name), ("confidence", field.name + ".confidence")):
                if isinstance(value, Tag):
                    columns[name] = getattr(value, key)
                elif str(field.type) == "Rows[Tag]":
                    columns[name] = [getattr(tag, key) for tag in value]
        return columns


row = dataclasses.dataclass(frozen=True, repr=False)


def none() -> Any:
    return dataclasses.field(default_factory=Rows)


def empty() -> Any:
    return dataclasses.field(default_factory=dict)


class Table(Iterable[R]):
    """Rows of an answer, which pandas takes as they are, and which notebooks show as a table."""

    def _repr_html_(self) -> str:
        return table(self)

    def to_dataframe(self) -> pandas.DataFrame:
        import pandas
        return pandas.DataFrame([item._columns() for item in self])


class Rows(list[R], Table[R]):
    """A list of rows; `answer` has the other keys of the answer, such as found and revision."""

    def __init__(self, rows: Iterable[R] = (), answer: Optional[dict[str, Any]] = None) -> None:
        super().__init__(rows)
        self.answer = answer or {}

    def __repr__(self) -> str:
        rows = [shown(item, 1, 1) for item in self[:20]]
        if len(self) > 20:
            rows.append(f"and {len(self) - 20} more")
        return "[" + ",\n ".join(rows) + "]"


class Pages(Table[R]):
    """Rows that are asked for page by page while they are read; each loop begins anew."""

    def __init__(self, page: Callable[[int, int], tuple[Rows[R], Optional[int]]],
                 limit: Optional[int], most: int = 1000) -> None:
        self._page, self._limit, self._most = page, limit, most

    def __iter__(self) -> Iterator[R]:
        start: Optional[int] = 0
        left = self._limit
        while start is not None and left != 0:
            rows, start = self._page(start, self._most if left is None else min(left, self._most))
            left = None if left is None else left - len(rows)
            yield from rows


@row
class Tag(Row):
    """A tag and how sure the vote is of it, 0 to 1; what the vocabulary calls it, if it does; and
    whether no document has it, so that it was found by its name."""
    label: Name
    confidence: float
    name: Optional[str] = None
    suggested: bool = False


@row
class TopicName(Row):
    """A topic of the map: its number, from 1, and its first words."""
    number: int
    name: str


@row
class StoredDocument(Row):
    """A document. `labels` are from people; `fields` are further keys of its record."""
    id: Id
    docid: Optional[int] = None
    title: str = ""
    labels: list[Name] = none()
    predicted: Rows[Tag] = none()
    rejected_labels: list[Name] = none()
    auto_tag: bool = True
    pending: bool = False
    topic: Optional[TopicName] = None
    terms: dict[Name, int] = empty()
    fields: dict[str, Any] = empty()

    @classmethod
    def read(cls: type[R], value: dict[str, Any],
             name: Callable[[str], str] = unescaped) -> R:
        read = cls._readers(name)
        known = {key: value.pop(key) for key in read if key in value}
        return cls(**{key: read[key](item) for key, item in {**known, "fields": value}.items()})

    def record(self) -> dict[str, Any]:
        """As ingest() takes it."""
        predicted = [{"label": tag.label, "confidence": tag.confidence} for tag in self.predicted]
        record: dict[str, Any] = {**self.fields, "id": self.id, "title": self.title,
                                  "labels": self.labels, "predicted": predicted}
        if self.rejected_labels:
            record["rejected_labels"] = self.rejected_labels
        if not self.auto_tag:
            record["auto_tag"] = False
        if self.terms:
            record["terms"] = self.terms
        return record


@row
class ExportedDocument(StoredDocument):
    """A document as a record, which ingest() takes. Its names are as they are."""

    @classmethod
    def read(cls: type[R], value: dict[str, Any],
             name: Callable[[str], str] = unescaped) -> R:
        if value.pop("escaped_strings", False):
            value = with_strings(value, unescaped)
        read = cls._readers(str)
        known = {key: value.pop(key) for key in
                 ("id", "title", "labels", "predicted", "rejected_labels", "auto_tag", "terms")
                 if key in value}
        if isinstance(value.get("topic"), dict) and value["topic"].keys() == {"number", "name"}:
            known["topic"] = value.pop("topic")
        return cls(**{key: read[key](item) for key, item in {**known, "fields": value}.items()})


@row
class Ingested(Row):
    """What became of records."""
    added: int
    replaced: int
    failed: int
    tagged: int
    pending: int
    near_duplicates: int
    uncompared: int
