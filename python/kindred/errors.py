"""What fails in the library, as exceptions whose text is the library's sentence."""

from __future__ import annotations

__all__ = ["KindredError", "InvalidArgument", "NotFound", "Corrupt", "Unsupported",
           "OutOfMemory", "DeviceError", "DatabaseError", "Canceled", "Closed"]


class KindredError(Exception):
    """A call failed, and the text says why. What is of no subclass is a bug in Kindred."""


class InvalidArgument(KindredError, ValueError):
    """The call, a record or the settings are wrong."""


class NotFound(KindredError, LookupError):
    """There is no such document, label, database or file."""


class Corrupt(KindredError):
    """A file or a database is damaged: restore it."""


class Unsupported(KindredError):
    """It takes another build, a newer library, or other settings."""


class OutOfMemory(KindredError, MemoryError):
    """Nothing changed; try a smaller request."""


class DeviceError(KindredError):
    """The GPU failed: open the database again, perhaps with backend.kind = "cpu"."""


class DatabaseError(KindredError):
    """Xapian failed: the lock is taken, the disk is full, and so on."""


class Canceled(KindredError):
    """A progress callback returned False."""


class Closed(InvalidArgument):
    """The database was closed, or opened by the parent of this process."""


_KINDS = (KindredError, InvalidArgument, NotFound, Corrupt, Unsupported, OutOfMemory, DeviceError,
          DatabaseError, KindredError, Canceled)


def raise_code(code: int, text: str) -> None:
    """Raises the exception of a kindred_errc; does nothing for 0."""
    if code != 0:
        raise _KINDS[code if code < len(_KINDS) else 0](text)
