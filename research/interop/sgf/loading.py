"""Every game below a path: a file, a folder with all in it, a .zip or .tar archive of tens of thousands of files.

Games come one by one, in an order that depends on names alone, and no file stops the others: what cannot be read, or
is not wanted, is listed with its reason. Archives are read as a stream, nothing is unpacked to disk.

```python
games = sgf.load("games.tar.xz", refuse=sgf.refuse_unless(size=19, min_moves=50, has_winner=True))
for record in games:
    ...
print(games.summary())
```
"""

import lzma
import os
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from research.interop.sgf.reading import read_records
from research.interop.sgf.record import Record
from research.interop.sgf.tree import SgfError

SUFFIXES = (".sgf", ".mgt")  # of the files that are read in a folder or an archive
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
ZIP_SUFFIXES = (".zip",)
MAX_BYTES = 1 << 26  # of one file; a record that is larger is none

_ARCHIVE_FAULTS = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, OSError)
_MEMBER_FAULTS = (*_ARCHIVE_FAULTS, RuntimeError, NotImplementedError)  # the last two: encrypted, unknown compression

Refuse = Callable[[Record], str | None]  # why a record is not wanted, None if it is


class Skipped(NamedTuple):
    """A file or a game that was not given out."""

    name: str
    reason: str


class Games:
    """Iterates over records; counts and lists what happened in the last pass, and what has happened so far in one."""

    def __init__(self, path: str | os.PathLike[str], refuse: Refuse | None = None):
        """*Raises:* FileNotFoundError if nothing is there, SgfError for a file without a game or a broken archive."""
        self.path = Path(path)
        self.refuse = refuse
        self._forget()
        if not self.path.exists():
            raise FileNotFoundError(f"{self.path}: no such file or folder")
        if not self.path.is_dir():
            self._look_inside()

    def __iter__(self) -> Iterator[Record]:
        """One pass over all games."""
        self._forget()
        for name, data in _files(self.path, self.skipped):
            self.num_files += 1
            try:
                for record in read_records(data, name):
                    reason = None if self.refuse is None else self.refuse(record)
                    if reason is None:
                        self.num_games += 1
                        yield record
                    else:
                        self.skipped.append(Skipped(name, reason))
            except SgfError as fault:
                self.skipped.append(Skipped(name, str(fault).removeprefix(f"{name}: ")))

    def summary(self) -> str:
        """How many files and games there were, and how often each reason to skip something."""
        lines = [f"{self.path}: {self.num_games} games of {self.num_files} files, {len(self.skipped)} skipped"]
        reasons = Counter(skipped.reason for skipped in self.skipped)
        return "\n".join([*lines, *(f"  {number} x {reason}" for reason, number in reasons.most_common())])

    def _forget(self) -> None:
        self.num_files = 0  # read
        self.num_games = 0  # given out
        self.skipped: list[Skipped] = []

    def _look_inside(self) -> None:
        """Fail now rather than in the middle of a loop; *Raises:* SgfError."""
        if not _is_archive(self.path.name):
            next(read_records(_read_file(self.path), str(self.path)))
            return
        try:
            with open_archive(self.path):
                pass
        except _ARCHIVE_FAULTS as fault:
            raise SgfError(f"{self.path}: not an archive that can be read: {fault}") from None


def load(path: str | os.PathLike[str], refuse: Refuse | None = None) -> Games:
    """Every game of a file, a folder, a .zip or a .tar (also compressed), as something to iterate over.

    `refuse` says why a record is not wanted, or None. *Raises:* FileNotFoundError, or SgfError if a file or an archive
    holds nothing that can be read; files inside of folders and archives are listed in `skipped` instead.
    """
    return Games(path, refuse)


def refuse_unless(
    size: int | None = None,
    min_moves: int = 0,
    has_winner: bool = False,
    is_legal: bool = True,
    is_even: bool = False,
) -> Refuse:
    """What a collection for learning wants: board size, length in moves, a winner, legal moves, no handicap."""

    def refuse(record: Record) -> str | None:
        if size is not None and record.size != size:
            return f"size is {record.size}, not {size}"
        if len(record.moves) < min_moves:
            return f"fewer than {min_moves} moves"
        if has_winner and record.winner not in ("black", "white"):
            return "no winner is known"
        if is_even and (record.setup or record.handicap > 1):
            return "stones are set up"
        return "a move is illegal" if is_legal and record.first_illegal_move is not None else None

    return refuse


def open_archive(path: Path) -> tarfile.TarFile | zipfile.ZipFile:
    """An archive to read from front to back."""
    return zipfile.ZipFile(path) if path.name.lower().endswith(ZIP_SUFFIXES) else tarfile.open(path, "r|*")


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ZIP_SUFFIXES + TAR_SUFFIXES)


def _files(path: Path, skipped: list[Skipped]) -> Iterator[tuple[str, bytes]]:
    """(Name, bytes) of each file that may hold games; the others go to `skipped`."""
    if path.is_dir():
        for folder, folders, names in os.walk(path, onerror=lambda fault: _skip_folder(fault, skipped)):
            folders.sort()
            for name in sorted(names):
                yield from _file(Path(folder) / name, skipped, is_wanted=name.lower().endswith(SUFFIXES))
    else:
        yield from _file(path, skipped, is_wanted=True)


def _file(path: Path, skipped: list[Skipped], is_wanted: bool) -> Iterator[tuple[str, bytes]]:
    """A file itself, or what is in it."""
    if _is_archive(path.name):
        yield from _archived_files(path, skipped)
    elif not is_wanted:
        skipped.append(Skipped(str(path), "not named as a game record"))
    elif not path.is_file():
        skipped.append(Skipped(str(path), "not a file"))
    else:
        try:
            yield str(path), _read_file(path)
        except (OSError, SgfError) as fault:
            skipped.append(Skipped(str(path), str(fault).removeprefix(f"{path}: ")))


def _read_file(path: Path) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise SgfError(f"{path}: {_too_large(path.stat().st_size)}")
    return path.read_bytes()


def _archived_files(path: Path, skipped: list[Skipped]) -> Iterator[tuple[str, bytes]]:
    """The files in an archive; behind damage that cannot be passed nothing more comes."""
    try:
        with open_archive(path) as archive:
            members = _zip_members(archive) if isinstance(archive, zipfile.ZipFile) else _tar_members(archive)
            for member in members:
                yield from _member(path, member, skipped)
    except _ARCHIVE_FAULTS as fault:
        skipped.append(Skipped(str(path), f"the archive is damaged: {fault}"))


class _Member(NamedTuple):
    """A file in an archive."""

    name: str
    num_bytes: int
    read: Callable[[], bytes]


def _zip_members(archive: zipfile.ZipFile) -> Iterator[_Member]:
    for member in archive.infolist():
        if not member.is_dir():
            yield _Member(member.filename, member.file_size, partial(archive.read, member))


def _tar_members(archive: tarfile.TarFile) -> Iterator[_Member]:
    for member in archive:
        opened = archive.extractfile(member) if member.isfile() else None
        if opened is not None:
            yield _Member(member.name, member.size, opened.read)


def _member(path: Path, member: _Member, skipped: list[Skipped]) -> Iterator[tuple[str, bytes]]:
    """One file of an archive, unless there is a reason to skip it."""
    name = f"{path}/{member.name}"
    if not member.name.lower().endswith(SUFFIXES):
        reason = "an archive inside an archive" if _is_archive(member.name) else "not named as a game record"
        skipped.append(Skipped(name, reason))
    elif member.num_bytes > MAX_BYTES:
        skipped.append(Skipped(name, _too_large(member.num_bytes)))
    else:
        try:
            data = member.read()
        except _MEMBER_FAULTS as fault:
            if path.name.lower().endswith(TAR_SUFFIXES):
                raise  # a stream cannot go on behind it
            skipped.append(Skipped(name, f"cannot be unpacked: {fault}"))
        else:
            yield name, data


def _too_large(num_bytes: int) -> str:
    return f"{num_bytes} bytes; a game record has at most {MAX_BYTES}"


def _skip_folder(fault: OSError, skipped: list[Skipped]) -> None:
    skipped.append(Skipped(str(fault.filename), f"cannot be read: {fault.strerror}"))
