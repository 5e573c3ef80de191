"""What is like a note, as JSON: /NAME/?using=own|default&language=, and its tags."""
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from haystack import connections
from haystack.query import SearchQuerySet

from haystack_site.models import Note


def related(request, name):
    note = get_object_or_404(Note, name=name)
    using = request.GET.get("using", "default")
    found = SearchQuerySet(using=using).more_like_this(note)
    if "language" in request.GET:
        found = found.filter(language=request.GET["language"])
    if "notes" in request.GET:
        found = found.models(Note)
    return JsonResponse({
        "count": found.count(),
        "related": [{"model": result.model_name, "title": result.title, "score": result.score}
                    for result in found[int(request.GET.get("start", 0)):3]]})


def tags(request, name):
    note = get_object_or_404(Note, name=name)
    facets = SearchQuerySet().models(Note).facet("tags").facet_counts()["fields"]["tags"]
    return JsonResponse({"suggested": connections["default"].get_backend().suggested_tags(note),
                         "facets": dict(facets)})


urlpatterns = [path("<str:name>/", related), path("<str:name>/tags/", tags)]
