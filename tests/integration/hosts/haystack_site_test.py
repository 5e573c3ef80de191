"""A Django site with the backend of examples/hosts/haystack, asked by Django's test client.

    haystack_site_test.py LIBKINDRED RECORDS.jsonl FOLDER

The connection `own` is that of xapian-haystack, on the same index.
"""
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY, RECORDS, FOLDER = sys.argv[1:4]
TOP = HERE.parents[2]
sys.path[:0] = [str(HERE), str(TOP / "python"), str(TOP / "examples/hosts/haystack")]

import django  # noqa: E402
from django.conf import settings  # noqa: E402

INDEX = FOLDER + "/index"
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["haystack", "haystack_site"],
    ROOT_URLCONF="haystack_site.views",
    SECRET_KEY="test",
    ALLOWED_HOSTS=["testserver"],
    HAYSTACK_CONNECTIONS={
        "default": {"ENGINE": "kindred_haystack.KindredEngine", "PATH": INDEX,
                    "KINDRED_LIBRARY": LIBRARY, "SILENTLY_FAIL": False},
        "silent": {"ENGINE": "kindred_haystack.KindredEngine", "PATH": INDEX,
                   "KINDRED_LIBRARY": LIBRARY},
        "own": {"ENGINE": "xapian_backend.XapianEngine", "PATH": INDEX}})
django.setup()

from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from haystack import connections  # noqa: E402
from haystack.query import SearchQuerySet  # noqa: E402
from haystack_site.models import Memo, Note  # noqa: E402
from xapian_backend import InvalidIndexError  # noqa: E402


def index_all():
    call_command("rebuild_index", interactive=False, verbosity=0, using=["own"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        call_command("migrate", run_syncdb=True, verbosity=0)
        with open(RECORDS, encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                Note.objects.create(name=record["id"], title=record["title"], text=record["text"],
                                    tags=record["labels"], language=record.get("lang", "en"))
        Memo.objects.create(title="Memo", text="A lunar module carried two astronauts to the Moon.")
        index_all()
        cls.client = Client()

    def get(self, path, **parameters):
        answer = self.client.get(path, parameters)
        self.assertEqual(answer.status_code, 200)
        return answer.json()

    def titles(self, path, **parameters):
        return [found["title"] for found in self.get(path, **parameters)["related"]]

    def test_related_notes_are_those_of_kindred_and_the_own_route_stays(self):
        found = self.get("/moon-1/")
        self.assertEqual(self.titles("/moon-1/"),
                         ["Memo", "Moon rocks", "How satellites stay in orbit"])
        scores = [related["score"] for related in found["related"]]
        self.assertTrue(1 > scores[0] > scores[1] > scores[2] > 0, scores)
        own = self.get("/moon-1/", using="own")
        self.assertEqual(len(own["related"]), 3)
        self.assertNotIn("Apollo lands on the Moon", self.titles("/moon-1/"))

    def test_filters_models_and_slices_hold(self):
        self.assertNotIn("Memo", self.titles("/moon-1/", notes=1))
        self.assertEqual(self.titles("/moon-1/", language="es")[0], "La exploración de la Luna")
        self.assertEqual(self.get("/moon-1/", language="es")["count"], 2)
        everything = self.get("/moon-1/")
        self.assertEqual(self.titles("/moon-1/", start=1),
                         [found["title"] for found in everything["related"][1:]])

    def test_tags_are_suggested_beside_the_facets_of_haystack(self):
        note = Note.objects.create(name="untagged", title="Supper",
                                   text="Simmer the soup, and bake the bread in the oven.")
        with self.assertRaises(InvalidIndexError):
            connections["default"].get_backend().suggested_tags(note)
        self.assertEqual(connections["silent"].get_backend().suggested_tags(note), [])
        self.assertEqual(list(SearchQuerySet(using="silent").more_like_this(note)), [])
        connections["own"].get_unified_index().get_index(Note).update_object(note, using="own")
        found = self.get("/untagged/tags/")
        self.assertEqual(found["suggested"][0][0], "cooking")
        self.assertEqual(found["facets"]["cooking"], 10)
        self.assertEqual(len(self.get("/untagged/")["related"]), 3)
        connections["own"].get_unified_index().get_index(Note).remove_object(note, using="own")
        with self.assertRaises(InvalidIndexError):
            connections["default"].get_backend().suggested_tags(note)

    def test_the_index_is_not_written_by_kindred(self):
        files = {path.name: path.read_bytes() for path in pathlib.Path(INDEX).iterdir()}
        self.get("/moon-1/")
        self.assertEqual(files, {path.name: path.read_bytes()
                                 for path in pathlib.Path(INDEX).iterdir()})

    def test_a_rebuilt_index_is_answered_from(self):
        before = self.titles("/bread-1/")
        index_all()
        self.assertEqual(self.titles("/bread-1/"), before)


unittest.main(argv=sys.argv[:1])
