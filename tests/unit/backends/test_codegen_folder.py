"""Output folders: whole or not at all, and nothing of anybody else's is lost."""

from __future__ import annotations

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sisyphus.backends.hls import check_folder, folder, is_ours, write_failed, write_folder
from sisyphus.errors import UsageError

DESIGN = json.dumps({"version": 1, "kernel": "gemm", "design": {}})
FILES = {"kernel.cpp": "int x;\n", "design.json": DESIGN}


def content(place: Path) -> dict[str, str]:
    return {str(f.relative_to(place)): f.read_text() for f in place.rglob("*") if f.is_file()}


def test_new_folder_with_its_parents(tmp_path: Path) -> None:
    out = tmp_path / "a b" / "$(touch x);'q' ü" / "gemm"
    write_folder(FILES, out)
    assert content(tmp_path) == {str((out / name).relative_to(tmp_path)): text for name, text in FILES.items()}
    assert is_ours(out)


def test_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_folder(FILES, Path("build/gemm"))
    assert content(tmp_path / "build" / "gemm") == FILES


def test_folder_of_ours_is_replaced_and_what_others_put_there_stays(tmp_path: Path) -> None:
    out = tmp_path / "gemm"
    write_folder({**FILES, "host.cpp": "old"}, out)
    (out / "build").mkdir()
    (out / "build" / "kernel.xo").write_text("slow to make")
    (out / "notes.txt").write_text("mine")
    (out / ".report.html.ab12.part").write_text("of a report that was killed")
    write_folder({**FILES, "kernel.cpp": "int y;\n"}, out)
    kept = {"build/kernel.xo": "slow to make", "notes.txt": "mine"}
    assert content(out) == {**FILES, "kernel.cpp": "int y;\n", **kept}
    assert [f.name for f in tmp_path.iterdir()] == ["gemm"]


def test_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "gemm").mkdir()
    write_folder(FILES, tmp_path / "gemm")
    assert content(tmp_path / "gemm") == FILES


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', "\x00"])
def test_folder_of_somebody_else_stays(tmp_path: Path, text: str) -> None:
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "design.json").write_text(text)
    with pytest.raises(UsageError, match="not written by sisy") as caught:
        write_folder(FILES, out)
    assert caught.value.exit_code == 2 and caught.value.hint
    assert content(tmp_path) == {"thesis/design.json": text}


def test_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "gemm").write_text("a file")
    with pytest.raises(UsageError, match="is a file"):
        write_folder(FILES, tmp_path / "gemm")
    with pytest.raises(UsageError, match="cannot be written"):
        write_folder(FILES, tmp_path / "gemm" / "deeper")
    assert content(tmp_path) == {"gemm": "a file"}


def test_working_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="working directory"):
        write_folder(FILES, Path())
    assert content(tmp_path) == {}


def test_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "gemm").symlink_to(tmp_path / "disk")
    write_folder(FILES, tmp_path / "gemm")
    assert (tmp_path / "gemm").is_symlink() and content(tmp_path / "disk") == FILES


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("before", [None, FILES])
def test_disk_trouble_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, before: dict[str, str] | None
) -> None:
    out = tmp_path / "deep" / "gemm"
    if before:
        write_folder(before, out)
    written = list[str]()
    genuine = Path.write_text

    def fail_second(self: Path, *args: object, **options: object) -> int:
        written.append(self.name)
        if len(written) > 1:
            raise OSError(code, "trouble")
        return genuine(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", fail_second)
    with pytest.raises(UsageError, match="cannot be written: trouble"):
        write_folder({**FILES, "kernel.cpp": "new"}, out)
    monkeypatch.undo()
    left = {"deep/gemm/" + name: text for name, text in before.items()} if before else {}
    assert content(tmp_path) == left
    assert (tmp_path / "deep").exists() == bool(before)


@pytest.mark.parametrize("exchanges", [True, False], ids=["exchanged", "renamed twice"])
@pytest.mark.parametrize("moment", range(4))
def test_a_kill_at_any_moment_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int, exchanges: bool
) -> None:
    """`os._exit` before any change of names; then the next run puts things right."""
    out = tmp_path / "gemm"
    write_folder(FILES, out)
    (out / "notes.txt").write_text("mine")
    child = os.fork()
    if child == 0:
        _die_at(monkeypatch, moment, exchanges=exchanges)
        write_folder({**FILES, "kernel.cpp": "new"}, out)
        os._exit(0)
    os.waitpid(child, 0)
    assert not exchanges or is_ours(out)
    check_folder(out)
    text = (out / "kernel.cpp").read_text()
    assert text in (FILES["kernel.cpp"], "new")
    files = {f"gemm/{name}": text for name, text in {**FILES, "kernel.cpp": text}.items()}
    assert content(tmp_path) == {"gemm/notes.txt": "mine"} | files


def _die_at(monkeypatch: pytest.MonkeyPatch, moment: int, *, exchanges: bool) -> None:
    left, rename, exchange = [moment], Path.rename, folder._exchange

    def count_down() -> None:
        if left[0] == 0:
            os._exit(9)
        left[0] -= 1

    def counted(self: Path, target: Path) -> Path:
        count_down()
        return rename(self, target)

    def exchanged(one: Path, other: Path) -> bool:
        count_down()
        return exchanges and exchange(one, other)

    monkeypatch.setattr(Path, "rename", counted)
    monkeypatch.setattr(folder, "_exchange", exchanged)


def test_a_folder_that_cannot_be_written_is_found_before_a_search(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text").write_text("mine")
    with pytest.raises(UsageError, match="not written by sisy"):
        check_folder(tmp_path / "thesis")
    check_folder(tmp_path / "new" / "deep")
    assert content(tmp_path) == {"thesis/text": "mine"} and not (tmp_path / "new").exists()


def test_no_room_is_found_before_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "LEAST_SPACE", 1 << 62)
    with pytest.raises(UsageError, match="No space left"):
        check_folder(tmp_path / "gemm")


def test_a_failed_folder_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "gemm.failed").mkdir()
    (tmp_path / "gemm.failed" / "notes").write_text("mine")
    assert write_failed(FILES, tmp_path / "gemm") == tmp_path / "gemm.failed1"


def test_failed_design_is_kept_beside(tmp_path: Path) -> None:
    out = tmp_path / "gemm"
    write_folder(FILES, out)
    failed = write_failed({**FILES, "kernel.cpp": "wrong"}, out)
    assert failed == tmp_path / "gemm.failed"
    assert content(out) == FILES and content(failed)["kernel.cpp"] == "wrong"
    write_failed({**FILES, "kernel.cpp": "wrong again"}, out)
    assert content(failed)["kernel.cpp"] == "wrong again"


def test_runs_beside_each_other_do_not_disturb_one_another(tmp_path: Path) -> None:
    """As a job that is run anew while a lost worker's program still runs, and as the first jobs of a batch."""

    def run(number: int) -> None:
        out = tmp_path / f"batch{number % 20}" / "designs" / "gemm"
        check_folder(out)
        write_folder(FILES, out)

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(run, number // 4) for number in range(400)]:
            done.result()
    assert all(
        content(place) == {f"designs/gemm/{name}": text for name, text in FILES.items()} for place in tmp_path.iterdir()
    )
