"""Notes with tags."""
from django.db import models


class Note(models.Model):
    name = models.CharField(max_length=100, unique=True)
    title = models.CharField(max_length=200)
    text = models.TextField()
    tags = models.JSONField(default=list)
    language = models.CharField(max_length=10, default="en")


class Memo(models.Model):
    """Another model of the same index."""
    title = models.CharField(max_length=200)
    text = models.TextField()
