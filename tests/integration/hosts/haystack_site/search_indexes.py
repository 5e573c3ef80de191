from haystack import indexes

from haystack_site.models import Memo, Note


class NoteIndex(indexes.SearchIndex, indexes.Indexable):
    text = indexes.CharField(document=True, model_attr="text")
    title = indexes.CharField(model_attr="title")
    language = indexes.CharField(model_attr="language")
    tags = indexes.MultiValueField(model_attr="tags", faceted=True)

    def get_model(self):
        return Note


class MemoIndex(indexes.SearchIndex, indexes.Indexable):
    text = indexes.CharField(document=True, model_attr="text")
    title = indexes.CharField(model_attr="title")

    def get_model(self):
        return Memo
