"""libkindred by ctypes: the structs of kindred/kindred.h, and a handle that threads may share."""

from __future__ import annotations

import contextlib
import ctypes as c
import functools
import logging
import os
import signal
import threading
import weakref
from typing import Any, Callable, Iterator, Optional

from .errors import Closed, Unsupported, raise_code

ABI_VERSION = 1
CREATE = 1
LOG = logging.getLogger("kindred")

Progress = Callable[[str, int, int], Optional[bool]]
"""progress(doing, done, all): how far a call is; `all` is 0 if it is not known. False cancels."""


class String(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]

    def text(self) -> str:
        return c.string_at(self.data, self.size).decode() if self.size else ""


LogCall = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_size_t)


class OpenOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("flags", c.c_uint64), ("settings_path", String),
                ("settings", String), ("log", LogCall), ("log_user", c.c_void_p),
                ("on_document", c.c_void_p), ("on_document_user", c.c_void_p)]


class Step(c.Structure):
    _fields_ = [("size", c.c_size_t), ("doing", String), ("done", c.c_uint64),
                ("all", c.c_uint64)]


ProgressCall = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Step))


class Report(c.Structure):
    _fields_ = [("size", c.c_size_t), ("added", c.c_uint64), ("replaced", c.c_uint64),
                ("failed", c.c_uint64), ("tagged", c.c_uint64), ("pending", c.c_uint64),
                ("near_duplicates", c.c_uint64), ("uncompared", c.c_uint64)]


def _function(*arguments: Any, result: Any = c.c_int) -> Any:
    return c.CFUNCTYPE(result, *arguments)


_Handle, _Report = c.c_void_p, c.POINTER(Report)


class Descriptor(c.Structure):
    _fields_ = [
        ("size", c.c_size_t), ("abi_version", c.c_uint64), ("version", c.c_char_p),
        ("last_error", _function(result=c.c_char_p)),
        ("open", _function(c.c_char_p, c.c_size_t, c.POINTER(OpenOptions), c.POINTER(_Handle))),
        ("close", _function(_Handle, result=None)),
        ("refresh", _function(_Handle, c.POINTER(c.c_int))),
        ("related", c.c_void_p), ("related_free", c.c_void_p),  # questions ask for the same
        ("classify", c.c_void_p), ("classify_batch", c.c_void_p),
        ("classification_free", c.c_void_p),
        ("ingest", _function(_Handle, c.c_char_p, c.c_size_t, _Report)),
        ("commit", _function(_Handle, _Report)), ("end_ingest", _function(_Handle, _Report)),
        ("documents_changed", c.c_void_p),
        ("ask", _function(_Handle, c.c_char_p, c.c_size_t, c.c_char_p, c.c_size_t, ProgressCall,
                          c.c_void_p, c.POINTER(c.POINTER(String)))),
        ("answer_free", _function(c.POINTER(String), result=None))]


@functools.lru_cache(maxsize=None)
def load(library: str) -> Any:
    """The functions of a library, which stays loaded. It is named as the dynamic linker does, or by
    its path; "" is $KINDRED_LIBRARY or else libkindred.so.0."""
    name = library or os.environ.get("KINDRED_LIBRARY") or "libkindred.so.0"
    try:
        plugin = c.CDLL(name).kindred_plugin
    except (OSError, AttributeError) as error:
        raise Unsupported(f"{error}; $KINDRED_LIBRARY may name libkindred.so.0") from error
    plugin.restype = c.POINTER(Descriptor)
    api = plugin().contents
    if api.abi_version != ABI_VERSION or api.size < c.sizeof(Descriptor):
        raise Unsupported(f"{name}: version {api.version.decode()} is not for this package")
    return api


def _log(_user: int, text: int, size: int) -> None:
    LOG.info("%s", c.string_at(text, size).decode())


_LOG_CALL = LogCall(_log)


def _close(api: Any, handle: c.c_void_p, process: int, callers: set[int]) -> None:
    if os.getpid() == process and not callers:  # at exit, a daemon thread may be in a call
        api.close(handle)


class Handle:
    """An open database for any number of threads. close() waits for the calls of the others.

    A call fails with Closed after close(), in a child of the process that opened the database, and
    in a progress callback of a call."""

    def __init__(self, library: str, path: bytes, settings: str, flags: int) -> None:
        self.api = load(library)
        self._callers: set[int] = set()
        self._changed = threading.Condition()
        self._process = os.getpid()
        handle, data = c.c_void_p(), settings.encode()
        options = OpenOptions(size=c.sizeof(OpenOptions), flags=flags, log=_LOG_CALL,
                              settings=String(c.cast(c.c_char_p(data), c.c_void_p), len(data)))
        self._check(self.api.open(path, len(path), c.byref(options), c.byref(handle)))
        self._handle, self._is_open = handle, True
        self._end = weakref.finalize(self, _close, self.api, handle, self._process, self._callers)

    def _check(self, code: int) -> None:
        raise_code(code, self.api.last_error().decode() if code else "")

    def _refuse_caller(self) -> None:
        if threading.get_ident() in self._callers:
            raise Closed("a progress callback must not call the database that it is called for")

    def close(self) -> None:
        with self._changed:
            self._refuse_caller()
            self._is_open = False
            self._changed.wait_for(lambda: not self._callers)
            self._end()

    @contextlib.contextmanager
    def _used(self) -> Iterator[tuple[c.c_void_p, list[BaseException]]]:
        """The handle for one call, and what is raised when that has returned: Ctrl-C, too, which
        must not be raised in a callback."""
        if os.getpid() != self._process:  # the lock may be held for good by a thread of the parent
            raise Closed("the database was opened before a fork: open it in this process, too")
        with self._changed:
            if not (self._is_open and self._end.alive):
                raise Closed("the database is closed")
            self._refuse_caller()
            self._callers.add(threading.get_ident())
        raised: list[BaseException] = []
        interrupts = (threading.current_thread() is threading.main_thread()
                      and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if interrupts:
            signal.signal(signal.SIGINT, lambda *_: raised.append(KeyboardInterrupt()))
        try:
            yield self._handle, raised
        finally:
            if interrupts:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            with self._changed:
                self._callers.remove(threading.get_ident())
                self._changed.notify_all()
            if raised:
                raise raised[0]

    def refresh(self) -> bool:
        changed = c.c_int()
        with self._used() as (handle, _):
            self._check(self.api.refresh(handle, c.byref(changed)))
        return changed.value != 0

    def ingest(self, record: bytes) -> None:
        with self._used() as (handle, _):
            self._check(self.api.ingest(handle, record, len(record), None))

    def end_ingest(self) -> Report:
        report = Report(size=c.sizeof(Report))
        with self._used() as (handle, _):
            self._check(self.api.end_ingest(handle, c.byref(report)))
        return report

    def ask(self, question: str, request: bytes, progress: Optional[Progress]) -> str:
        """The JSON of the answer. What `progress` raises cancels the call, and is raised here."""
        name, answer = question.encode(), c.POINTER(String)()
        with self._used() as (handle, raised):
            def step(_user: int, at: Any) -> bool:
                try:
                    now = at.contents
                    return bool(raised) or progress is not None and progress(
                        now.doing.text(), now.done, now.all) is False
                except BaseException as error:
                    raised.append(error)
                    return True

            # Where nobody listens, only the main thread is told of steps: signals are handled there.
            # Another one may end in any call of Python, but must not end inside of the library.
            is_told = progress is not None or threading.current_thread() is threading.main_thread()
            call = ProgressCall(step) if is_told else c.cast(0, ProgressCall)
            try:
                self._check(self.api.ask(handle, name, len(name), request, len(request),
                                         call, None, c.byref(answer)))
                return answer.contents.text()
            finally:
                self.api.answer_free(answer)
