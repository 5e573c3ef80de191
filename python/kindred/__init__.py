"""Kindred tags documents, finds related ones, and maps topics, in the index of Xapian.

    with kindred.open("wiki.db") as db:
        print(db.classify("A probe on its way to the moon", why=True))

docs/python.md is the guide. kindred.sklearn has an estimator for scikit-learn."""

from .answers import *
from .database import Database, Example, Record
from .errors import *

__all__ = ["Candidate", "Canceled", "Classification", "Closed", "Corrupt", "Database",
           "DatabaseError", "DeviceError", "Document", "Duplicates", "Edited", "Evaluation",
           "Example", "Found", "Id", "Ingested", "InvalidArgument", "KindredError", "Label", "LabelScores",
           "Name", "Neighbor", "NotFound", "OutOfMemory", "Pages", "Place", "Reason", "Record",
           "Rows", "Suspect", "SuspectList", "Suspects", "Tag", "Term", "Topic", "TopicWord",
           "Unsupported", "Voter", "escaped", "open", "unescaped"]

open = Database
