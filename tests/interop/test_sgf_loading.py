"""Games out of folders and archives: all that can be read come, the rest is listed with its reason."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from research.interop import sgf

GAME = b"(;SZ[9]RE[B+R];B[bb];W[cc])"
FILES = {
    "b/two.sgf": GAME + b"\n" + GAME,
    "a.sgf": GAME,
    "b/Capital.SGF": GAME,
    "c/broken.sgf": b"no game",
    "c/empty.sgf": b"",
    "c/notes.txt": b"hello",
    "c/damaged.sgf": b"(;SZ[9];B[bb",
}
NUM_GAMES = 5
REASONS = {"broken.sgf": "no game found", "empty.sgf": "it is empty", "notes.txt": "not named as a game record"}


def folder_of(path: Path) -> Path:
    """A folder with the files in it."""
    for name, data in FILES.items():
        file = path / "games" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path / "games"


def zip_of(path: Path) -> Path:
    """A .zip with the files in it."""
    with zipfile.ZipFile(path / "games.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in FILES.items():
            archive.writestr(name, data)
        archive.mkdir("empty")
    return path / "games.zip"


def tar_of(path: Path, suffix: str = ".tar.xz", mode: str = "w:xz") -> Path:
    """A .tar with the files in it."""
    with tarfile.open(path / f"games{suffix}", mode) as archive:
        for name, data in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.sgf")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path / f"games{suffix}"


def check(path: Path) -> None:
    """All games come, and the others are listed."""
    games = sgf.load(path)
    for _ in range(2):  # a second pass counts from the beginning
        records = list(games)
        assert len(records) == games.num_games == NUM_GAMES
        assert all(record.name.startswith(str(path)) for record in records)
        assert games.num_files == 6
        assert len(games.skipped) == len(REASONS)
        for name, reason in games.skipped:
            assert REASONS[Path(name).name] in reason
            assert not reason.startswith(name)
    assert "5 games of 6 files, 3 skipped" in games.summary()
    assert "1 x no game found: it is empty" in games.summary()


def test_a_folder_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    check(folder)
    assert next(Path(record.name).name for record in sgf.load(folder)) == "a.sgf"


def test_a_zip(tmp_path: Path) -> None:
    check(zip_of(tmp_path))


@pytest.mark.parametrize(
    ("suffix", "mode"), [(".tar.xz", "w:xz"), (".tgz", "w:gz"), (".tar", "w"), (".tar.bz2", "w:bz2")]
)
def test_a_tar(tmp_path: Path, suffix: str, mode: str) -> None:
    check(tar_of(tmp_path, suffix, mode))


def test_archives_inside_of_a_folder_are_read(tmp_path: Path) -> None:
    zip_of(tmp_path)
    tar_of(tmp_path)
    folder_of(tmp_path)
    games = sgf.load(tmp_path)
    assert len(list(games)) == 3 * NUM_GAMES
    assert len(games.skipped) == 3 * len(REASONS)


def test_an_archive_inside_an_archive_is_skipped(tmp_path: Path) -> None:
    inner = zip_of(tmp_path)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(inner, "games.zip")
    games = sgf.load(tmp_path / "outer.zip")
    assert list(games) == []
    assert games.skipped[0].reason == "an archive inside an archive"


def test_one_file_is_read_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(GAME)
    (record,) = sgf.load(path)
    assert record.name == str(path)
    assert len(record.moves) == 2


def test_games_of_a_file_come_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "many.sgf"
    path.write_bytes(GAME * 50_000)
    for number, _ in enumerate(sgf.load(path)):
        if number == 2:
            break


def test_nothing_to_read_fails_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"absent\.sgf: no such file"):
        sgf.load(tmp_path / "absent.sgf")
    (tmp_path / "text.sgf").write_bytes(b"hello")
    with pytest.raises(sgf.SgfError, match=r"text\.sgf: no game found"):
        sgf.load(tmp_path / "text.sgf")
    for name in ("false.zip", "false.tar.xz"):
        (tmp_path / name).write_bytes(b"hello")
        with pytest.raises(sgf.SgfError, match="not an archive that can be read"):
            sgf.load(tmp_path / name)


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_a_damaged_archive_gives_what_comes_before_the_damage(tmp_path: Path, make) -> None:
    path = make(tmp_path)
    data = bytearray(path.read_bytes())
    data[60:64] = bytes(byte ^ 255 for byte in data[60:64])
    path.write_bytes(data)
    try:
        games = sgf.load(path)
    except sgf.SgfError:
        return  # so damaged that it is no archive
    assert len(list(games)) < NUM_GAMES
    assert any("damaged" in reason or "unpacked" in reason for _, reason in games.skipped)


def test_a_tar_that_was_cut_off_gives_its_first_files(tmp_path: Path) -> None:
    path = tar_of(tmp_path, ".tar", "w")
    path.write_bytes(path.read_bytes()[:1700])
    games = sgf.load(path)
    assert len(list(games)) == 3
    assert "the archive is damaged" in games.skipped[-1].reason


def test_what_is_not_wanted_is_refused_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "mixed.sgf"
    path.write_bytes(
        b"(;SZ[9]RE[B+R];B[bb];W[cc])(;SZ[13]RE[B+R];B[bb];W[cc])(;SZ[9];B[bb];W[cc])(;SZ[9]RE[0];B[bb];W[cc])"
        b"(;SZ[9]RE[W+R];B[bb];W[bb])(;SZ[9]RE[W+R];B[bb])(;SZ[9]RE[W+R]HA[2]AB[bb][cc];W[ee];B[ff])"
    )
    games = sgf.load(path, refuse=sgf.refuse_unless(size=9, min_moves=2, has_winner=True, is_even=True))
    assert len(list(games)) == 1
    reasons = [reason for _, reason in games.skipped]
    no_winner = "no winner is known"
    illegal, short = "a move is illegal", "fewer than 2 moves"
    assert reasons == ["size is 13, not 9", no_winner, no_winner, illegal, short, "stones are set up"]
    assert len(list(sgf.load(path, refuse=lambda record: None))) == 7
