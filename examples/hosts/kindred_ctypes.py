"""The C ABI of Kindred for Python, with ctypes alone; hosts import it.

Kindred.ask() asks every question of docs/json.md. The structs are those of kindred/kindred.h.
"""
import ctypes as c
import json
import os

ABI_VERSION = 1
CREATE = 1
NOT_FOUND = 2

u64, size_t, P, Bytes, Handle = c.c_uint64, c.c_size_t, c.POINTER, c.c_char_p, c.c_void_p


class String(c.Structure):
    _fields_ = [("data", P(c.c_char)), ("size", size_t)]

    def __str__(self):
        return self.data[:self.size].decode()


Log = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, size_t)


class OpenOptions(c.Structure):
    _fields_ = [("size", size_t), ("flags", u64), ("settings_path", String), ("settings", String),
                ("log", Log), ("log_user", c.c_void_p), ("on_document", c.c_void_p),
                ("on_document_user", c.c_void_p)]


class Step(c.Structure):
    _fields_ = [("size", size_t), ("doing", String), ("done", u64), ("all", u64)]


Progress = c.CFUNCTYPE(c.c_int, c.c_void_p, P(Step))


def function(*arguments, result=c.c_int):
    return c.CFUNCTYPE(result, *arguments)


class Descriptor(c.Structure):
    _fields_ = [
        ("size", size_t), ("abi_version", u64), ("version", Bytes),
        ("last_error", function(result=Bytes)),
        ("open", function(Bytes, size_t, P(OpenOptions), P(Handle))),
        ("close", function(Handle, result=None)),
        ("refresh", function(Handle, P(c.c_int))),
        ("related", c.c_void_p), ("related_free", c.c_void_p),  # questions ask for the same
        ("classify", c.c_void_p), ("classify_batch", c.c_void_p),
        ("classification_free", c.c_void_p),
        ("ingest", function(Handle, Bytes, size_t, c.c_void_p)),
        ("commit", function(Handle, c.c_void_p)),
        ("end_ingest", function(Handle, c.c_void_p)),
        ("documents_changed", c.c_void_p),
        ("ask", function(Handle, Bytes, size_t, Bytes, size_t, Progress, c.c_void_p,
                         P(P(String)))),
        ("answer_free", function(P(String), result=None))]


class KindredError(Exception):
    """A failed call: a `code` to branch on, and a sentence for people."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def name(text):
    """An id, label or term as requests have it; its bytes that are not UTF-8 are surrogates."""
    return "".join("\\x%02x" % (ord(c) - 0xdc00) if "\udc80" <= c <= "\udcff" else c
                   for c in text.replace("\\", "\\\\"))


class Kindred:
    """An open database, for any number of threads. Use it in a `with` statement, or call close().

    `settings` is TOML. log(message) may be called from other threads."""

    def __init__(self, library, database, create=False, settings="", log=None):
        plugin = c.CDLL(library).kindred_plugin
        plugin.restype = P(Descriptor)
        self.api = plugin().contents
        if self.api.abi_version != ABI_VERSION or self.api.size < c.sizeof(Descriptor):
            raise RuntimeError(f"{library}: {self.api.version.decode()} is not for this host")
        self.handle = Handle()
        self.log = Log(lambda user, text, size: log and log(c.string_at(text, size).decode()))
        path, text = os.fsencode(database), settings.encode()
        options = OpenOptions(size=c.sizeof(OpenOptions), flags=CREATE if create else 0,
                              settings=String(c.cast(text, P(c.c_char)), len(text)), log=self.log)
        self.check(self.api.open(path, len(path), c.byref(options), c.byref(self.handle)))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self.api.close(self.handle)
        self.handle = None

    def check(self, code):
        if code != 0:
            raise KindredError(code, self.api.last_error().decode())

    def refresh(self):
        """True if others have written, and it is answered from what they wrote from now on."""
        changed = c.c_int()
        self.check(self.api.refresh(self.handle, c.byref(changed)))
        return changed.value != 0

    def ingest(self, record):
        data = json.dumps(record).encode()
        self.check(self.api.ingest(self.handle, data, len(data), None))

    def end_ingest(self):
        self.check(self.api.end_ingest(self.handle, None))

    def ask(self, question, request=None, progress=None):
        """progress(doing, done, all) may return False to cancel."""
        asked, text = question.encode(), json.dumps(request or {}).encode()
        answer = P(String)()

        def step(user, s):
            return int(progress(str(s[0].doing), s[0].done, s[0].all) is False)
        self.check(self.api.ask(self.handle, asked, len(asked), text, len(text),
                                Progress(step) if progress else Progress(), None,
                                c.byref(answer)))
        try:
            return json.loads(str(answer.contents))
        finally:
            self.api.answer_free(answer)
