"""Records of files as people have them, and keys that stand for those of a record."""

from __future__ import annotations

import collections
import csv
import gzip
import io
import json
import os
import pathlib
import sys
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from .errors import InvalidArgument

LISTS = ("labels", "rejected_labels")
NO_MAP = "(no map)"


def _names() -> dict[str, tuple[str, ...]]:
    """The keys of a record, and what else each is often called."""
    text = pathlib.Path(__file__).with_name("field_names.txt").read_text("utf-8")
    lines = [line.partition(":") for line in text.splitlines() if not line.startswith("#")]
    return {key: tuple(others.split()) for key, _, others in lines}


OTHER_NAMES = _names()
MAPPED = OTHER_NAMES.keys() - {NO_MAP}
READ = {*MAPPED, *OTHER_NAMES[NO_MAP]}


def records_of(path: Union[str, os.PathLike[str]]) -> Iterator[tuple[str, Any]]:
    """The records of a file: CSV or TSV by its name, an array of JSON, or JSON Lines; each may be
    gzip. Before each, the id for one that has none: of file and line, in an array of its place."""
    file = pathlib.Path(path)
    data = file.read_bytes()
    name = file.name
    if data.startswith(b"\x1f\x8b"):
        data, name = gzip.decompress(data), name.removesuffix(".gz")
    text = _decoded(data)
    if name.lower().endswith((".csv", ".tsv", ".tab")):
        found = _rows(text, name, str(file))
    elif text.lstrip().startswith("["):
        found = enumerate(json.loads(text), 1)
    else:
        found = ((number, _line(line, f"{file}:{number}"))
                 for number, line in enumerate(text.split("\n"), 1) if line.strip())
    for number, record in found:
        yield f"{file.name}:{number}", record


def _line(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise InvalidArgument(f"{place}: not JSON: {error}") from None


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _rows(text: str, name: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table, with the line where each begins. Fields that are empty are left out."""
    first = text.lstrip("\r\n").splitlines()[:1] or [""]
    is_tsv = not name.lower().endswith(".csv")
    separator = "\t" if is_tsv else max(",;\t", key=first[0].count)
    csv.field_size_limit(min(sys.maxsize, 2 ** 31 - 1))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=not is_tsv)
    columns: Optional[list[str]] = None
    line = 1
    try:
        for fields in reader:
            if not any(fields):
                pass
            elif columns is None:
                columns = [field.strip() for field in fields]
            elif len(fields) != len(columns):
                raise InvalidArgument(f"{path}:{line}: expected {len(columns)} fields, as the first "
                                      f"line has, found {len(fields)}")
            else:
                yield line, {key: field for key, field in zip(columns, fields) if key and field}
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidArgument(f"{path}:{line}: {error}") from None


class Fields:
    """Gives records the keys that Kindred reads, and counts those that nobody does."""

    def __init__(self, names: Optional[Mapping[str, str]], separator: Optional[str],
                 body: Iterable[str]) -> None:
        self.given = dict(names or {})
        self.names = {theirs: ours for ours, theirs in self.given.items()}
        unknown = self.given.keys() - MAPPED
        if unknown:
            raise InvalidArgument(f"map: expected text, labels, id, title, lang or rejected_labels, "
                                  f"found {min(unknown)!r}")
        if len(self.names) < len(self.given):
            raise InvalidArgument(f"map: expected another key for each, found {self.given!r}")
        self.separator = separator
        self.body = set(body)
        self.records = self.worded = self.texts = self.labeled = 0
        self.unread: collections.Counter[str] = collections.Counter()

    def record(self, record: Mapping[str, Any], is_file: bool) -> Mapping[str, Any]:
        if self.names or self.separator or is_file:
            record = {self.names.get(key, key): self._value(key, value, is_file)
                      for key, value in record.items()
                      if key in self.names or key not in self.given}
        self.records += 1
        has_text = bool(record.get("text") or record.get("terms") or record.get("vector")
                        or not self.body.isdisjoint(record))
        self.texts += has_text
        self.worded += has_text or bool(record.get("title"))
        self.labeled += bool(record.get("labels"))
        for key in record:
            if key not in READ and key not in self.body and len(self.unread) < 1000:
                self.unread[str(key)] += 1
        return record

    def _value(self, key: str, value: Any, is_file: bool) -> Any:
        if not isinstance(value, str) or self.names.get(key, key) not in LISTS:
            return value
        if self.separator:
            return [part.strip() for part in value.split(self.separator) if part.strip()]
        return [value] if is_file or key in self.names else value

    def lack(self) -> str:
        """What no record has, if that is likely to be a mistake, and what may be meant; or ""."""
        if not self.records or (self.texts and self.labeled):
            return ""
        wanted = ([] if self.texts else ["text"]) + ([] if self.labeled else ["labels"])
        likely = {}
        for ours in wanted:
            names = (ours, *OTHER_NAMES[ours])
            found = [key for key in self.unread if key.lower() in names]
            if found:
                likely[ours] = min(found, key=lambda key: names.index(key.lower()))
        if self.worded and not likely:
            return ""
        if self.worded and "text" not in likely:  # titles may be all that there is
            wanted = ["labels"]
        records = "1 record" if self.records == 1 else f"{self.records} records"
        message = f"{records}, none with " + " or ".join(wanted)
        if self.unread:
            message += "; unread keys: " + ", ".join(
                f"{key} ({count})" for key, count in self.unread.most_common(8))
        if likely:
            meant = ", ".join(f"{ours}={theirs!r}" for ours, theirs in likely.items())
            message += f"; did you mean {meant}?"
        return message
