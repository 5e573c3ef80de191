"""A classifier for scikit-learn: Kindred's votes over a temporary index of the training texts."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import unicodedata
import weakref
import zipfile
from collections import Counter
from typing import Any, Iterable, Mapping, Optional, Union

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.multiclass import check_classification_targets, is_multilabel
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .database import Database
from .rows import Tag


def _records(texts: Any) -> list[dict[str, Any]]:
    """Texts or records, of a list, a Series, or a table of one column."""
    if isinstance(texts, (str, bytes, Mapping)):
        raise ValueError("expected a list of texts or records, found a single one")
    if getattr(texts, "ndim", 1) == 2:
        if texts.shape[1] != 1:
            raise ValueError(f"expected one column of texts, found {texts.shape[1]}")
        texts = numpy.asarray(texts)[:, 0]
    records = []
    for i, text in enumerate(texts):
        if isinstance(text, str):
            records.append({"text": text})
        elif isinstance(text, Mapping):
            records.append({key: text[key] for key in text if key not in ("id", "labels")})
        else:
            raise ValueError(f"row {i}: expected a text or a record, found {text!r}")
    return records


def _is_label(name: str) -> bool:
    """Whether an index has a label under exactly this name."""
    return (name.isprintable() and name == unicodedata.normalize("NFC", name).strip()
            and 0 < len(name.encode()) <= 200)


class KindredClassifier(ClassifierMixin, BaseEstimator):
    """Tags texts as Kindred does: by the documents that are most like them.

    fit(X, y): X has texts, or records as dicts (title, text, lang, terms, ...). y has a label for
    each, or a list of labels, or is an indicator matrix; predict() answers in the same form.

    `vote`, `neighbors` and `min_confidence` are those of Database.classify(); without them the index
    is tuned, if `tune` and there are enough texts. The vote "blend" is that of a tuning, which fit()
    makes of however few texts. `settings` are those of the index. A wrong parameter fails in fit().

    After fit(), `classes_` has the labels, and `database_` is the index, for example to ask why:
    database_.classify(text, why=True). If it cannot have a label, such as an empty one, it has the
    numbers of all of them instead, from 0 in the order of classes_."""

    def __init__(self, *, vote: Optional[str] = None, neighbors: Optional[int] = None,
                 min_confidence: Optional[float] = None, tune: bool = True,
                 settings: Union[str, Mapping[str, Any], None] = None, library: str = "") -> None:
        self.vote = vote
        self.neighbors = neighbors
        self.min_confidence = min_confidence
        self.tune = tune
        self.settings = settings
        self.library = library

    def fit(self, X: Any, y: Any) -> KindredClassifier:
        if y is None:
            raise ValueError("KindredClassifier requires y to be passed, but the target y is None")
        records, labels = _records(X), self._read_labels(y)
        if len(records) != len(labels):
            raise ValueError(f"{len(records)} texts, but {len(labels)} labels")
        if not records:
            raise ValueError("Found array with 0 sample(s): there is no text")
        self._open(None)
        self._check_parameters()
        self.database_.ingest({"auto_tag": False, **record, "id": str(i), "labels": of_it}
                              for i, (record, of_it) in enumerate(zip(records, labels)))
        if self.vote == "blend":
            self.database_.tune()
        elif self.tune and (self.vote, self.neighbors, self.min_confidence) == (None, None, None):
            self.database_.tune(if_due=True)
        return self

    def _check_parameters(self) -> None:
        """Those of the vote are checked as classify() does, which asks the index without texts."""
        if not isinstance(self.tune, (bool, numpy.bool_)):
            raise ValueError(f"tune: expected True or False, found {self.tune!r}")
        if self.vote == "blend" and not self.tune:
            raise ValueError("vote: expected another than 'blend', which is the vote of a tuning, "
                             "with tune=False")
        vote = None if self.vote == "blend" else self.vote
        self.database_.ask("classify", example={"text": ""}, vote=vote, neighbors=self.neighbors,
                           min_confidence=self.min_confidence)

    def _read_labels(self, y: Any) -> list[list[str]]:
        """The labels of each row as texts. Sets what depends on the form of y."""
        y = y if isinstance(y, list) or hasattr(y, "toarray") else numpy.asarray(y)
        if is_multilabel(y):
            y = numpy.asarray(y.toarray() if hasattr(y, "toarray") else y)
            self._form = "matrix"
            self.classes_ = numpy.arange(y.shape[1])
            rows = [[int(column) for column in numpy.flatnonzero(row)] for row in y]
        elif isinstance(next(iter(y), ""), (list, tuple, set, frozenset)):
            self._form = "lists"
            rows = [list(row) for row in y]
            self.classes_ = numpy.array(sorted({label for row in rows for label in row}))
        else:
            self._form = "labels"
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            self.classes_ = numpy.unique(y)
            rows = [[label] for label in y]
        names = [str(label) for label in self.classes_]
        if not all(map(_is_label, names)):
            names = [str(i) for i in range(len(names))]
        self._column = {name: i for i, name in enumerate(names)}
        name_of = dict(zip(self.classes_, names))
        found = [[name_of[label] for label in row] for row in rows]
        counts = Counter(name for row in found for name in row)
        self._prior = numpy.array([counts[name] / len(rows) for name in names])
        return found

    def _open(self, packed: Optional[bytes]) -> None:
        """Opens a temporary index: an empty one, or one that was pickled."""
        if not isinstance(self.settings, (str, Mapping, type(None))):
            raise ValueError(f"settings: expected TOML, a dict or None, found {self.settings!r}")
        folder = tempfile.mkdtemp(prefix="kindred-")
        if packed is not None:
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                archive.extractall(folder)
        self.database_ = Database(os.path.join(folder, "index"), create=True,
                                  settings=self.settings, library=self.library)
        weakref.finalize(self.database_, shutil.rmtree, folder, True)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        database = state.pop("database_", None)
        if database is not None:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for file in os.scandir(os.fsdecode(database.path)):
                    archive.write(file.path, "index/" + file.name)
            state["_packed"] = packed.getvalue()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        packed = state.pop("_packed", None)
        super().__setstate__(state)
        if packed is not None:
            self._open(packed)

    def _tags(self, X: Any, **options: Any) -> Iterable[list[Tag]]:
        for key in ("vote", "neighbors"):
            if getattr(self, key) is not None:
                options[key] = getattr(self, key)
        for answer in self.database_.classify_all(_records(X), **options):
            yield answer.tags

    def predict_proba(self, X: Any) -> Any:
        """Confidences, a column for each of classes_. Where each text has one label, a row sums up
        to 1; it has the shares of the labels among the training texts if nothing is known of it."""
        check_is_fitted(self, "database_")
        rows = list(self._tags(X, min_confidence=0, limit=len(self.classes_)))
        found = numpy.zeros((len(rows), len(self.classes_)))
        for row, tags in zip(found, rows):
            for tag in tags:
                row[self._column[tag.label]] = tag.confidence
        if self._form == "labels":
            found[found.sum(axis=1) == 0] = self._prior
            found /= found.sum(axis=1, keepdims=True)
        return found

    def predict(self, X: Any) -> Any:
        """The best label of each text; or its labels, as a list or as a row of a matrix."""
        check_is_fitted(self, "database_")
        if self._form == "labels":
            return self.classes_[numpy.argmax(self.predict_proba(X), axis=1)]
        found = [[self._column[tag.label] for tag in tags]
                 for tags in self._tags(X, min_confidence=self.min_confidence)]
        if self._form == "lists":
            return [self.classes_[row].tolist() for row in found]
        matrix = numpy.zeros((len(found), len(self.classes_)), dtype=int)
        for row, columns in zip(matrix, found):
            row[columns] = 1
        return matrix

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of texts whose labels are all right, and nothing else."""
        predicted = self.predict(X)
        if self._form == "lists":
            form = MultiLabelBinarizer().fit([*y, *predicted])
            y, predicted = form.transform(y), form.transform(predicted)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _more_tags(self) -> dict[str, Any]:  # until scikit-learn 1.5
        return {"X_types": ["string"], "no_validation": True, "multilabel": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        tags.classifier_tags.multi_label = True
        return tags
