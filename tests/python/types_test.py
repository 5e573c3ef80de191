"""The package is typed: mypy finds no fault in it, and knows the types of its answers.

usage: types_test.py PACKAGES (the folder that has the package)"""

import os
import sys
import tempfile

try:
    from mypy import api
except ImportError:
    print("skipped: mypy is not installed")
    sys.exit(77)
USE = """
import kindred
with kindred.open("a.db") as db:
    tags: list[kindred.Tag] = db.classify("text", why=True, limit=3).tags
    label: str = tags[0].label
    for row in db.matching("query"):
        title: str = row.title
    document: kindred.StoredDocument = db["a"]
    tuned: bool = db.tune(dry_run=True).tuned
    found: list[kindred.RelatedDocument] = db.related(id="a")
    db.related(kindred.Id("a"), limti=3)
"""
os.chdir(sys.argv[1])
with tempfile.TemporaryDirectory() as cache:
    out, errors, status = api.run(["--cache-dir", cache, "-p", "kindred"])
    print(out, errors)
    used, errors, found = api.run(["--cache-dir", cache, "-c", USE])
    print(used, errors)
sys.exit(status or not (found == 1 and used.count("error:") == 1 and '"limti"' in used))
