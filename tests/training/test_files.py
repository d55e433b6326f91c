"""Files of a run: whole or not there, and a metrics file that survives a crash in the middle of a line."""

from pathlib import Path

import pytest

from research.training.files import append_line, read_lines, write_atomically, write_lines

RECORDS = [{"iteration": 1, "loss": 0.5}, {"iteration": 2, "loss": 0.25}]


def test_records_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    assert read_lines(path) == []
    write_lines(path, RECORDS[:1])
    append_line(path, RECORDS[1])
    assert read_lines(path) == RECORDS


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_last_line_cut_short_by_a_crash_is_left_out(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "metrics.jsonl"
    write_lines(path, RECORDS)
    path.write_bytes(path.read_bytes()[:-cut])
    assert read_lines(path) == (RECORDS if cut == 1 else RECORDS[:1])


@pytest.mark.parametrize("damage", [b"\xff\xfe\x00", b"12", b"null", b'"x"'])
def test_a_last_line_that_is_no_record_is_left_out(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "metrics.jsonl"
    write_lines(path, RECORDS)
    with path.open("ab") as file:
        file.write(damage)
    assert read_lines(path) == RECORDS


@pytest.mark.parametrize("damage", [b"{", b"12", b"\xff"])
def test_damage_before_the_last_line_is_named_with_its_place(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "metrics.jsonl"
    write_lines(path, RECORDS[:1])
    with path.open("ab") as file:
        file.write(damage + b"\n")
    append_line(path, RECORDS[1])
    with pytest.raises(ValueError, match=r"metrics\.jsonl, line 2: wanted a JSON object, got"):
        read_lines(path)


def test_a_write_replaces_the_file_at_once_or_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "config.json"
    write_atomically(path, "old")
    before = path.stat().st_ino
    write_atomically(path, b"new")
    assert path.read_text() == "new"
    assert path.stat().st_ino != before  # another file under the old name: a reader of the old one keeps it whole
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")  # half a character cannot be written
    assert path.read_text() == "new"
    assert [entry.name for entry in path.parent.iterdir()] == ["config.json"]


def test_a_place_that_cannot_be_written_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=rf"'{tmp_path}'$"):
        write_atomically(tmp_path, "a folder is no file")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=rf"'{tmp_path / 'file' / 'game.html'}'$"):
        write_atomically(tmp_path / "file" / "game.html", "nor a file a folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert not list(tmp_path.parent.glob(".*partial"))
