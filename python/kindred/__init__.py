"""Kindred tags documents, finds related ones, and maps topics, in the index of Xapian.

    with kindred.open("wiki.db") as db:
        print(db.classify("A probe on its way to the moon", why=True))

docs/python.md is the guide. kindred.sklearn has an estimator for scikit-learn."""

from . import answers, errors, rows
from .answers import *
from .database import Database, Example, Record
from .errors import *
from .rows import *

__version__ = "0.1.0"
__all__ = ["Database", "Example", "Record", "open"]
__all__ += answers.__all__ + errors.__all__ + rows.__all__

open = Database
