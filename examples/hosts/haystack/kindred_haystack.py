"""A backend of django-haystack: that of xapian-haystack, whose more_like_this() is Kindred's.

    HAYSTACK_CONNECTIONS = {"default": {
        "ENGINE": "kindred_haystack.KindredEngine",
        "PATH": "/srv/site/index",
        "KINDRED_LIBRARY": "libkindred.so.0",             # the default
        "KINDRED_SETTINGS": {"classify.neighbors": 20},           # those of docs/settings.md
        "KINDRED_RELATED": 1000,     # with a filter, so many documents are looked at; the default
    }}

Kindred only reads the index. docs/hosts/haystack.md is the guide.
"""
import json
import logging
import os
import pickle
import threading

import xapian
from haystack.constants import ID
from haystack.exceptions import HaystackError
from haystack.models import SearchResult
from haystack.utils import get_identifier
from xapian_backend import (MEMORY_DB_NAME, TERM_PREFIXES, InvalidIndexError, XapianEngine,
                            XapianSearchBackend, XapianSearchQuery)

import kindred

LOG = logging.getLogger("kindred")
UNFILTERED = 100  # without a filter, so many documents are found
SETTINGS = {"index.profile": "xapian-haystack", "index.read_only": True}  # it is not Kindred's


class OpenIndexes:
    """One handle for each index, library and settings of this process, for all of its threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.handles = {}

    def get(self, library, path, settings):
        key = os.getpid(), library, path, settings  # a handle is of no use after a fork
        with self.lock:
            if key not in self.handles:
                self.handles[key] = kindred.open(path, settings=settings, library=library)
            return self.handles[key]


OPEN_INDEXES = OpenIndexes()


class KindredSearchBackend(XapianSearchBackend):
    def __init__(self, connection_alias, **options):
        super().__init__(connection_alias, **options)
        if self.path == MEMORY_DB_NAME:
            raise HaystackError("Kindred expects an index in a folder, not %s" % MEMORY_DB_NAME)
        self.library = options.get("KINDRED_LIBRARY", "libkindred.so.0")
        settings = {**SETTINGS, **options.get("KINDRED_SETTINGS", {})}
        self.settings = "".join("%s = %s\n" % (key, json.dumps(settings[key])) for key in settings)
        self.most_related = options.get("KINDRED_RELATED", 1000)

    def ask(self, question, model_instance):
        """question(database, id) of the instance, of the index as it is now, since indexing in any
        process may have changed it. None if it fails, and failures are to be silent."""
        identifier = get_identifier(model_instance)
        try:
            database = OPEN_INDEXES.get(self.library, self.path, self.settings)
            database.refresh()
            return question(database, kindred.Id(identifier))
        except kindred.KindredError as error:
            if self.silently_fail:
                LOG.warning("%s: %s", identifier, error)
                return None
            if isinstance(error, kindred.NotFound):
                raise InvalidIndexError("%s is not indexed: %s" % (identifier, error)) from error
            raise HaystackError(str(error)) from error

    def more_like_this(self, model_instance, additional_query=None, start_offset=0,
                       end_offset=None, limit_to_registered_models=True, result_class=None,
                       **kwargs):
        """As that of xapian-haystack; the score of a result is its similarity, from 0 to 1.

        Of the most similar documents, KINDRED_RELATED of them, those stay that match the query."""
        is_filtered = additional_query is not None and str(additional_query) != str(xapian.Query(""))
        most = self.most_related if is_filtered else UNFILTERED
        related = self.ask(lambda database, like: database.related(like, limit=most, titles=False),
                           model_instance)
        if not related:
            return {"results": [], "hits": 0}
        database = self._database()
        allowed = self.allowed(database, [str(one.id) for one in related], additional_query,
                               limit_to_registered_models)
        found = [(allowed[one.id], one.similarity) for one in related if one.id in allowed]
        make = result_class or SearchResult
        results = []
        for document, similarity in found[start_offset:end_offset]:
            app_label, model_name, key, stored = pickle.loads(  # as xapian-haystack stored it
                self._get_document_data(database, document))
            results.append(make(app_label, model_name, key, similarity, **stored))
        return {"results": results, "hits": len(found),
                "facets": {"fields": {}, "dates": {}, "queries": {}}, "spelling_suggestion": None}

    def allowed(self, database, ids, query, limit_to_registered_models):
        """{id: document} of the documents that also match the query."""
        prefix = TERM_PREFIXES[ID]
        chosen = xapian.Query(xapian.Query.OP_OR, [xapian.Query(prefix + id_) for id_ in ids])
        if query is not None:
            chosen = xapian.Query(xapian.Query.OP_FILTER, chosen, query)
        if limit_to_registered_models:
            chosen = self._build_models_query(chosen)
        enquire = xapian.Enquire(database)
        enquire.set_weighting_scheme(xapian.BoolWeight())
        enquire.set_query(chosen)
        column = self.column[ID]
        documents = (match.document
                     for match in self._get_enquire_mset(database, enquire, 0, len(ids)))
        return {document.get_value(column).decode("utf-8"): document for document in documents}

    def suggested_tags(self, model_instance):
        """[(label, confidence)], surest first: words of the field "tags" that the instance deserves,
        by those of similar documents."""
        answer = self.ask(lambda database, example: database.classify(example), model_instance)
        return [(tag.label, tag.confidence) for tag in answer.tags] if answer else []


class KindredSearchQuery(XapianSearchQuery):
    def run_mlt(self, **kwargs):
        """Runs more_like_this(), for the part of the results that is asked for."""
        found = self.backend.more_like_this(
            self._mlt_instance, self.build_query(), start_offset=self.start_offset,
            end_offset=self.end_offset, result_class=self.result_class, **kwargs)
        self._results, self._hit_count = found["results"], found["hits"]


class KindredEngine(XapianEngine):
    backend = KindredSearchBackend
    query = KindredSearchQuery
