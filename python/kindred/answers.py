"""Answers as dataclasses. Their fields are the keys of plugin/ask/questions.txt, which says more
about each. A key that an answer lacks is None, or an empty list."""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from typing import Any, Callable, Iterable, Iterator, Optional, TypeVar, Union

if typing.TYPE_CHECKING:
    import pandas

R = TypeVar("R", bound="Row")
WIDTH = 88
MOST_SHOWN = 5  # items of a list inside an answer


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
    if origin is dict and parameters[0] is Name:
        return lambda value: {name(key): value[key] for key in value}
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
        parts = [("" if value._brief else field.name + "=", getattr(value, field.name))
                 for field in dataclasses.fields(value)
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
    _brief = False

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

    def _columns(self) -> dict[str, Any]:
        """Of a table. A tag is two columns, and so are tags."""
        columns = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            columns[field.name] = value
            for key, name in (("label", field.name), ("confidence", field.name + ".confidence")):
                if isinstance(value, Tag):
                    columns[name] = getattr(value, key)
                elif str(field.type) == "list[Tag]":
                    columns[name] = [getattr(tag, key) for tag in value]
        return columns


row = dataclasses.dataclass(frozen=True, repr=False)


def none() -> Any:
    return dataclasses.field(default_factory=list)


class Table(Iterable[R]):
    """Rows of an answer, which pandas takes as they are."""

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
        after: Optional[int] = 0
        left = self._limit
        while after is not None and left != 0:
            rows, after = self._page(after, self._most if left is None else min(left, self._most))
            left = None if left is None else left - len(rows)
            yield from rows


@row
class Tag(Row):
    """A tag and how sure the vote is of it, 0 to 1."""
    _brief = True
    label: Name
    confidence: float
    threshold: Optional[float] = None  # of near misses


@row
class Term(Row):
    """A term of the index, prefix included, the word as people write it, and its part of a
    similarity."""
    _brief = True
    term: Name
    word: str
    contribution: float


@row
class Voter(Row):
    """A neighbor that has a tag, and its share of the vote."""
    _brief = True
    id: Id
    share: float


@row
class Reason(Row):
    """Why a tag was given: its voters, nearest first, and the terms that make them similar."""
    label: Name
    threshold: Optional[float]
    voters: list[Voter]
    terms: list[Term]


@row
class Neighbor(Row):
    """A document, and how similar it is: a voter with its labels, or a related document with the
    terms that make it similar (`why`) and the near-duplicates that it stands for (`fold`)."""
    id: Id
    docid: int
    similarity: float
    title: str = ""
    labels: list[Name] = none()
    terms: list[Term] = none()
    folded: list[Neighbor] = none()


@row
class Classification(Row):
    """Which tags something deserves. What `why` and `voters` ask for is empty without them."""
    tags: list[Tag]
    best: Optional[Tag] = None
    id: Optional[Id] = None
    docid: Optional[int] = None
    withheld: list[Tag] = none()
    reasons: list[Reason] = none()
    near_misses: list[Tag] = none()
    neighbors: list[Neighbor] = none()


@row
class TopicWord(Row):
    """A telling term of a topic, and the word as people write it."""
    _brief = True
    term: Name
    word: str
    score: float


@row
class Topic(Row):
    """A topic of the map: its number, from 1, and its first words. Of a document, no more."""
    number: int
    name: str
    documents: Optional[int] = None
    neighbors: list[int] = none()
    terms: list[TopicWord] = none()
    typical: list[Neighbor] = none()


@row
class Document(Row):
    """A document. `labels` are from people; `fields` are further keys of its record."""
    id: Id
    docid: Optional[int] = None
    title: str = ""
    labels: list[Name] = none()
    predicted: list[Tag] = none()
    rejected_labels: list[Name] = none()
    auto_tag: bool = True
    pending: bool = False
    topic: Optional[Topic] = None
    terms: dict[Name, int] = dataclasses.field(default_factory=dict)
    fields: dict[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, value: dict[str, Any], name: Callable[[str], str] = unescaped) -> Document:
        known = {key: value.pop(key) for key in cls._readers(name) if key in value}
        return super().read({**known, "fields": value}, name)

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Document:
        """Of a record of an export, which has names as they are."""
        if record.pop("escaped_strings", False):
            record = with_strings(record, unescaped)
        known = {key: record.pop(key) for key in
                 ("id", "title", "labels", "predicted", "rejected_labels", "auto_tag", "terms")
                 if key in record}
        if isinstance(record.get("topic"), dict) and record["topic"].keys() == {"number", "name"}:
            known["topic"] = record.pop("topic")
        return super().read({**known, "fields": record}, str)

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
class Found(Row):
    """A document that a search has found. `snippet` is the part of its text that says why: texts,
    and whether they match."""
    id: Id
    docid: int
    title: str
    labels: list[Name]
    predicted: list[Tag]
    topic: Optional[Topic]
    language: Optional[str]
    values: dict[str, Any]
    etag: str
    score: float = 0
    snippet: list[dict[str, Any]] = none()
    duplicates: list[dict[str, Any]] = none()
    text: str = ""  # this and the fields: of a document that was asked for by its id
    fields: dict[str, str] = dataclasses.field(default_factory=dict)


@row
class Edited(Row):
    """A document after an edit."""
    id: Id
    labels: list[Name]
    predicted: list[Name]
    rejected: list[Name]
    auto_tag: bool


@row
class Candidate(Row):
    """A document that a tag would suit."""
    id: Id
    docid: int
    title: str
    confidence: float
    labels: list[Name]
    predicted: list[Name]
    reason: Optional[Reason] = None
    neighbors: list[Neighbor] = none()


@row
class Suspect(Row):
    """A document that lacks `label`, or has it by mistake, as the vote has it. A wrong one has a
    rival, which it would be given, and which is hardly ever beside it."""
    id: Id
    docid: int
    title: str
    labels: list[Name]
    label: Name
    confidence: float
    proposed: list[Tag]
    reasons: list[Reason]
    neighbors: list[Neighbor]
    rival: Optional[Tag] = None


@row
class SuspectList(Row):
    """The clearest of all `found`; of these, `clear` have a confidence of at least 0.95. `next` is
    what `after` has to be for those that follow."""
    found: int
    clear: int
    suspects: Rows[Suspect]
    next: Optional[int]


@row
class Suspects(Row):
    """Labels that documents lack, and wrong ones."""
    examined: int
    missing: SuspectList
    wrong: SuspectList


@row
class Duplicates(Row):
    """Documents that are nearly the same."""
    least_similarity: float
    greatest_similarity: float
    documents: list[Document]


@row
class Label(Row):
    """A label, and how many documents have it from people, as a predicted tag, or must not."""
    label: Name
    documents: int
    predicted: int
    rejected: int


@row
class Place(Row):
    """Where something lies on the map."""
    unit: Optional[int]
    row: Optional[int]
    column: Optional[int]
    topic: Optional[int]
    name: Optional[str]
    distance: Optional[float]
    novelty: float
    map_revision: int


@row
class LabelScores(Row):
    """How well one label is predicted."""
    label: Name
    support: int
    predicted: int
    right: int
    precision: float
    recall: float
    f1: float


@row
class Evaluation(Row):
    """How well predicted tags agree with the true ones. docs/measuring.md defines the measures."""
    documents: int
    labels: int
    accuracy: float
    micro_precision: float
    micro_recall: float
    micro_f1: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    subset_accuracy: float
    hamming_loss: float
    one_error: float
    coverage_error: float
    ranking_loss: float
    ranking_average_precision: float
    calibration_error: float
    per_label: list[LabelScores] = none()
    tuning_unused: str = ""


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
