"""An open database: its questions as methods, whose arguments are the keys of
plugin/ask/questions.txt. An argument that is None is left to the tuning or the settings."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import numbers
import operator
import os
import warnings
from typing import (TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Type,
                    TypedDict, Union)

from . import native
from .answers import (Candidate, Classified, DuplicateGroup, EditedDocument, EvaluateAnswer,
                      DescribedTopic, FoundDocument, LabelCount, LogEdit, MatchingDocument,
                      RelatedDocument, Suspect, SuspectsAnswer, TopicPlace, TrainTopicsAnswer,
                      TuneAnswer, UndoAnswer)
from .errors import InvalidArgument, KindredError, NotFound
from .files import Fields, records_of
from .frames import is_frame, records_of_frame
from .rows import (ExportedDocument, Id, Ingested, Pages, R, Row, Rows, StoredDocument, escaped,
                   with_strings)

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

Record = Union[Mapping[str, Any], StoredDocument]
Example = Union[str, int, Record, RelatedDocument, MatchingDocument, FoundDocument, Candidate,
                Suspect]
"""A text (str), a document (Id, docid, or a row that is one), or a record (dict)."""

Records = Union[Record, Iterable[Record], str, "os.PathLike[str]", "pandas.DataFrame"]
Some = Union[Example, Iterable[Example]]
Names = Union[str, Iterable[str]]


class Vote(TypedDict, total=False):
    neighbors: int
    min_confidence: float
    vote: str
    min_similarity: float
    prototypes: str


class Classify(Vote, total=False):
    limit: int
    filter: str
    suggest: bool
    voters: bool
    titles: bool
    group: str
    names_in: list[str]


class Tune(TypedDict, total=False):
    filter: str
    groups: list[str]
    goal: str
    documents: int
    seed: int
    dry_run: bool
    changes: bool
    if_due: bool
    remove: bool


class TrainTopics(TypedDict, total=False):
    rows: int
    columns: int
    epochs: int
    seed: int
    topics: int
    lattice: str
    toroidal: bool
    start: str
    resume: bool


class Search(TypedDict, total=False):
    names_in: list[str]
    partial: bool
    offset: int
    limit: int
    sort: str
    tag: list[str]
    label: list[str]
    predicted: list[str]
    topic: list[int]
    unit: list[int]
    language: list[str]
    values: list[dict[str, Any]]
    fold: float
    facets: int
    units: bool


class Evaluate(Vote, total=False):
    folds: int
    seed: int
    at: list[int]
    per_label: bool
    names_in: list[str]


class Neighborhood(TypedDict, total=False):
    unlike: Some
    like_query: str
    unlike_query: str
    like_top: int
    limit: int
    min_similarity: float
    filter: str
    fold: float
    feedback: bool
    titles: bool
    group: str
    names_in: list[str]


def _example(example: Example) -> dict[str, Any]:
    if isinstance(example, Row):
        docid = example.docid
        example = example.id if docid is None else docid
    if isinstance(example, Id):
        return {"id": escaped(example)}
    if isinstance(example, str):
        return {"text": example}
    if isinstance(example, Mapping):
        return {"record": dict(example)}
    return {"docid": operator.index(example)}


def _listed(examples: Some) -> list[Example]:
    one = isinstance(examples, (str, int, Mapping, Row))
    return [examples] if one else list(examples)  # type: ignore


def _examples(examples: Some) -> list[dict[str, Any]]:
    return list(map(_example, _listed(examples)))


def _some(names: Names) -> Iterable[str]:
    return [names] if isinstance(names, str) else names


def _named(ids: Names, texts: Names) -> Iterator[dict[str, Any]]:
    """The examples that id= and text= give."""
    for name in _some(ids):
        yield {"id": escaped(name)}
    for text in _some(texts):
        yield {"text": text}


def _names(names: Names) -> list[str]:
    return [escaped(name) for name in _some(names)]


def _number(value: Any) -> Union[int, float]:
    """A number of another library, such as NumPy, for json.dumps()."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError


def _dumps(value: Any, place: str = "", ascii: bool = False) -> str:
    """The JSON of a value, or an error that names the key of what JSON has not."""
    try:
        return json.dumps(value, ensure_ascii=ascii, allow_nan=False, default=_number)
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(value, Mapping):
            for key, item in value.items():
                _dumps(item, f"{place}.{key}" if place else str(key))
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                _dumps(item, f"{place}[{i}]")
        found = repr(value) if isinstance(value, float) else type(value).__name__
        raise InvalidArgument(f"{place or 'record'}: expected text, a number, a bool, None, a list "
                              f"or a dict, found {found}") from error


def _record_json(record: Record) -> bytes:
    if isinstance(record, StoredDocument):
        record = record.record()
    try:
        return _dumps(record).encode()
    except UnicodeEncodeError:  # bytes that are not UTF-8, as in os.fsdecode()
        marked = {**with_strings(record, escaped), "escaped_strings": True}
        return _dumps(marked, ascii=True).encode()


def _mapped(records: Records, fields: Fields, allow_empty: bool) -> Iterator[Record]:
    """Records with the keys that Kindred reads. Those of a file or a frame wait until one has a
    text."""
    if is_frame(records):
        source = "frame"
        found = records_of_frame(records, fields.given.get("id", "id"))
    elif isinstance(records, (str, os.PathLike)):
        source = os.fspath(records)
        found = records_of(records)
    else:
        if isinstance(records, (Mapping, StoredDocument)):
            records = [records]
        for record in records:
            yield fields.record(record, False) if isinstance(record, Mapping) else record
        return

    waiting: list[Record] = []
    for name, record in found:
        if isinstance(record, Mapping):
            record = fields.record(record, True)
            if record.get("id") in (None, ""):
                record = {**record, "id": name}
        waiting.append(record)
        if allow_empty or fields.worded:
            yield from waiting
            waiting.clear()
    if waiting:
        raise InvalidArgument(f"{source}: {fields.lack()} (allow_empty=True adds them)")


def toml(settings: Mapping[str, Any]) -> str:
    """{"classify.neighbors": 20} as TOML; values are strings, numbers, bools and lists of them."""
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
                   for key, value in settings.items())


class Database:
    """An open database, for any number of threads. Use it in a `with` statement, or close() it.

    Answers are of the state that was committed when it was opened or last refreshed.

    len() counts its documents, `in` looks for one by its id or docid, db[id] is it (KeyError if
    there is none), and a loop has the ids."""

    def __init__(self, path: Union[str, bytes, os.PathLike[str]], *, create: bool = False,
                 settings: Union[str, Mapping[str, Any], None] = None, library: str = "") -> None:
        text = settings if isinstance(settings, str) else toml(settings or {})
        self.path = os.fsencode(path)
        self._opened = functools.partial(Database, path, create=create, settings=text,
                                         library=library)
        self._handle = native.Handle(library, self.path, text, native.CREATE if create else 0)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return self._opened, ()

    def __repr__(self) -> str:
        return f"kindred.open({os.fsdecode(self.path)!r})"

    def __bool__(self) -> bool:
        """An index is there, even if it has no document."""
        return True

    def __len__(self) -> int:
        return int(self.ask("status")["documents"])

    def __iter__(self) -> Iterator[Id]:
        return (document.id for document in self.matching())

    def __contains__(self, document: object) -> bool:
        try:
            self[document]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def __getitem__(self, document: Union[str, int]) -> StoredDocument:
        try:
            return self.documents(document)[0]
        except NotFound as error:
            raise KeyError(document) from error

    def close(self) -> None:
        """Commits what was ingested, and waits for calls of other threads."""
        self._handle.close()

    def refresh(self) -> bool:
        """Follows what others have committed; True if there was something."""
        return self._handle.refresh()

    def ask(self, question: str, *, progress: Optional[native.Progress] = None,
            **request: Any) -> dict[str, Any]:
        """The answer to any question of docs/json.md, as JSON has it. Keys of the request that are
        None are left out. `progress(doing, done, all)` may return False to cancel."""
        given = {key: value for key, value in request.items() if value is not None}
        data = _dumps(given, question)
        answer: dict[str, Any] = json.loads(
            self._handle.ask(question, data.encode("utf-8", "replace"), progress))
        return answer

    def _rows(self, kind: Type[R], question: str, key: str, **request: Any) -> Rows[R]:
        answer = self.ask(question, **request)
        return Rows(map(kind.read, answer.pop(key)), answer)

    def _pages(self, kind: Type[R], question: str, limit: Optional[int], **request: Any) -> Pages[R]:
        def page(start: int, most: int) -> tuple[Rows[R], Optional[int]]:
            key = "candidates" if kind is Candidate else "documents"
            where = {"after" if question == "export" else "offset": start}
            rows = self._rows(kind, question, key, limit=most, **where, **request)
            return rows, rows.answer["next"]
        return Pages(page, limit)

    def _refuse_unread(self, texts: Iterable[Example]) -> None:
        """Raises if a text says nothing to the index, but is the id of a document, which was
        surely meant."""
        for text in texts:
            if not isinstance(text, str) or isinstance(text, Id) or text not in self:
                continue
            if not self.ask("related", like=[{"text": text}], limit=1)["results"]:
                raise InvalidArgument(f"the index has no word of the text {text!r}, but a document "
                                      f"of this id: write id={text!r}")

    # Find. Where an example is expected, id= and text= say which of the two a str is.

    def classify(self, example: Optional[Example] = None, *, id: Optional[str] = None,
                 text: Optional[str] = None, why: bool = False,
                 **options: Unpack[Classify]) -> Classified:
        """Which tags it deserves; with `why`, their reasons."""
        if sum(given is not None for given in (example, id, text)) != 1:
            raise InvalidArgument("classify: expected one of an example, id= and text=")
        return next(self.classify_all([] if example is None else [example],
                                      id=[] if id is None else [id],
                                      text=[] if text is None else [text], why=why, **options))

    def classify_all(self, examples: Iterable[Example] = (), *, id: Names = (), text: Names = (),
                     why: bool = False, **options: Unpack[Classify]) -> Iterator[Classified]:
        """classify() of many, some hundreds at a time, which is much faster than one by one."""
        source = itertools.chain(((example, _example(example)) for example in examples),
                                 ((None, named) for named in _named(id, text)))
        while batch := list(itertools.islice(source, 256)):
            answers = self._rows(Classified, "classify", "answers",
                                 examples=[asked for _, asked in batch], explain=why, **options)
            self._refuse_unread(example for (example, _), answer in zip(batch, answers)
                                if example is not None and answer.best is None)
            yield from answers

    def related(self, like: Some = (), *, id: Names = (), text: Names = (), why: bool = False,
                **options: Unpack[Neighborhood]) -> Rows[RelatedDocument]:
        """Documents like the given ones, the most similar first; with `why`, by which terms."""
        given = _listed(like)
        found = self._rows(RelatedDocument, "related", "results",
                           like=[*map(_example, given), *_named(id, text)],
                           unlike=_examples(options.pop("unlike", ())), explain=why, **options)
        if not found:
            self._refuse_unread(given)
        return found

    def candidates(self, label: str, *, filter: str = "", min_confidence: float = 0,
                   predicted: bool = False, limit: Optional[int] = None,
                   why: bool = False) -> Pages[Candidate]:
        """Documents that a label would suit, the surest first."""
        return self._pages(Candidate, "candidates", limit, label=escaped(label), filter=filter,
                           min_confidence=min_confidence, predicted=predicted, explain=why)

    def suspects(self, query: str = "", *, filter: str = "", limit: int = 20, offset: int = 0,
                 documents: int = 0) -> SuspectsAnswer:
        """Documents that lack a label, and those that seem to have a wrong one. `documents`: look
        at this many, those that were added first; 0: at all."""
        return SuspectsAnswer.read(
            self.ask("suspects", query=query, filter=filter, limit=limit, offset=offset,
                     documents=documents))

    def duplicates(self, *, min_similarity: float = 0.95, filter: str = "", limit: int = 100,
                   group: Optional[str] = None) -> Rows[DuplicateGroup]:
        """Groups of documents that are nearly the same, the largest first."""
        return self._rows(DuplicateGroup, "duplicates", "groups", min_similarity=min_similarity,
                          filter=filter, limit=limit, group=group)

    def evaluate(self, **options: Unpack[Evaluate]) -> EvaluateAnswer:
        """How well predicted tags agree with the true ones."""
        return EvaluateAnswer.read(self.ask("evaluate", **options))

    def topics(self) -> Rows[DescribedTopic]:
        """The topics of the map, which train_topics() makes; the largest first."""
        return self._rows(DescribedTopic, "topics", "topics")

    def topic_of(self, examples: Some = (), *, id: Names = (),
                 text: Names = ()) -> Rows[TopicPlace]:
        """Where documents or texts lie on the map."""
        given = _listed(examples)
        places = self._rows(TopicPlace, "topic_of", "places",
                            examples=[*map(_example, given), *_named(id, text)])
        self._refuse_unread(example for example, place in zip(given, places) if place.topic is None)
        return places

    # Look up

    def documents(self, ids: Union[str, int, Iterable[Union[str, int]]]) -> Rows[StoredDocument]:
        """Documents by their ids or docids."""
        given = [ids] if isinstance(ids, (str, int)) else ids
        return self._rows(StoredDocument, "documents", "documents", examples=_examples(
            Id(one) if isinstance(one, str) else one for one in given))

    def matching(self, query: str = "", *, limit: Optional[int] = None) -> Pages[MatchingDocument]:
        """All documents that match a Xapian query, by docid."""
        return self._pages(MatchingDocument, "matching", limit, query=query)

    def search(self, query: str, **options: Unpack[Search]) -> Rows[FoundDocument]:
        """The documents that match best, and before them those of this id or title. The answer
        of the rows has facets, how many match, and a correction of the query."""
        asked: dict[str, Any] = dict(options)
        for key in ("tag", "label", "predicted"):
            if key in asked:
                asked[key] = _names(asked[key])
        return self._rows(FoundDocument, "search", "documents", query=query, **asked)

    def export(self, query: str = "", *, terms: bool = False,
               limit: Optional[int] = None) -> Pages[ExportedDocument]:
        """Documents with their texts, tags and topics; with `terms`, also with their features."""
        return self._pages(ExportedDocument, "export", limit, query=query, terms=terms)

    def labels(self, query: str = "", *, sort: str = "name", limit: Optional[int] = None,
               offset: int = 0) -> Rows[LabelCount]:
        """The labels, and how many documents have them: all, or those whose name has the text
        `query`, whatever its case and accents. `sort`: by "name", or those of the most "documents"
        first. The answer of the rows has how many were `found` in all."""
        some = {} if limit is None else {"limit": limit}
        return self._rows(LabelCount, "labels", "labels", query=query, sort=sort, offset=offset,
                          **some)

    # Write

    @functools.cached_property
    def _body_fields(self) -> frozenset[str]:
        """Further keys of records whose text belongs to the body."""
        items = self.ask("settings")["settings"]["index"]["body_fields"]
        return frozenset(item.split("=")[0] for item in items)

    def ingest(self, records: Records,
               on_error: Optional[Callable[[Record, KindredError], object]] = None, *,
               text: Optional[str] = None, labels: Optional[str] = None, id: Optional[str] = None,
               title: Optional[str] = None, lang: Optional[str] = None,
               map: Optional[Mapping[str, str]] = None, separator: Optional[str] = None,
               allow_empty: bool = False) -> Ingested:
        """Adds documents, or replaces those of the same ids, and commits. Rows of export() are
        records, too, and so are those of a data frame of pandas, without missing values, and those
        of a file: CSV, TSV, an array of JSON, or JSON Lines. A frame or file in which no record has
        a text is refused unless `allow_empty`. A row of a frame without an id has that of the
        frame's index.

        `text`, `labels`, `id`, `title`, `lang`: what records call these, as in text="body". `map`
        has the same as a dict, and "rejected_labels". `separator`: what separates labels in one
        text. Where no record has a text, or labels, and a key is likely to be meant, a UserWarning
        says so.

        The first record that is refused is raised, after those before it are committed; with
        on_error(record, error), that is called instead."""
        names = {"text": text, "labels": labels, "id": id, "title": title, "lang": lang}
        given = {ours: theirs for ours, theirs in names.items() if theirs is not None}
        fields = Fields({**(map or {}), **given}, separator, self._body_fields)
        try:
            for record in _mapped(records, fields, allow_empty):
                try:
                    self._handle.ingest(_record_json(record))
                except KindredError as error:
                    if on_error is None:
                        raise
                    on_error(record, error)
        finally:
            report = self._handle.end_ingest()
        lack = fields.lack()
        if lack:
            warnings.warn(lack, stacklevel=2)
        return Ingested(*(getattr(report, field.name) for field in dataclasses.fields(Ingested)))

    def edit(self, document: str, *, accept: Names = (), reject: Names = (), undo: Names = (),
             add: Names = (), take_off: Names = (), clear_labels: bool = False,
             auto_tag: Optional[bool] = None) -> EditedDocument:
        """Changes the tags of a document, by its id: accepts predicted tags or rejects tags for
        good, undoes either, adds labels as people do or takes them off."""
        edit = {"id": escaped(document), "accept": _names(accept), "reject": _names(reject),
                "undo": _names(undo), "add": _names(add), "take_off": _names(take_off),
                "clear_labels": clear_labels,
                **({} if auto_tag is None else {"auto_tag": auto_tag})}
        return self._rows(EditedDocument, "edit", "documents", edits=[edit])[0]

    def log(self, ids: Names = (), **options: Any) -> Rows[LogEdit]:
        """Who changed which tags of these documents, or of all, and when: the latest first. The
        options are keys of the question "log", such as since="7d", who and limit."""
        return self._rows(LogEdit, "log", "edits", ids=_names(ids), **options)

    def undo(self, *, edit: Optional[int] = None, run: Optional[int] = None,
             day: Optional[str] = None, by: Optional[str] = None,
             dry_run: bool = False) -> UndoAnswer:
        """Takes edits of log() back: one, those of a run, or those of a day in UTC."""
        return UndoAnswer.read(self.ask("undo", edit=edit, run=run, day=day, by=by,
                                        dry_run=dry_run))

    def delete(self, ids: Names) -> int:
        """Deletes documents by their ids; how many there were."""
        return int(self.ask("delete", ids=_names(ids))["deleted"])

    def tag(self, query: str = "", *, dry_run: bool = False, pending: bool = False,
            restart: bool = False, progress: Optional[native.Progress] = None) -> dict[str, Any]:
        """Gives predicted tags to the documents that match; the answer counts them."""
        return self.ask("tag", query=query, dry_run=dry_run, pending=pending, restart=restart,
                        progress=progress)

    def tune(self, *, progress: Optional[native.Progress] = None,
             **options: Unpack[Tune]) -> TuneAnswer:
        """Finds how documents of this index are tagged best, and how sure its tags are."""
        return TuneAnswer.read(self.ask("tune", progress=progress, **options))

    def train_topics(self, *, progress: Optional[native.Progress] = None,
                     **options: Unpack[TrainTopics]) -> TrainTopicsAnswer:
        """Makes a map of the index and finds its topics, which topics() describes."""
        return TrainTopicsAnswer.read(self.ask("train_topics", progress=progress, **options))
