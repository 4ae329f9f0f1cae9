"""The embedding model on this machine: its files, and the vectors that it computes."""

from __future__ import annotations

import asyncio
import struct
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from stemmata.domain.errors import KnownError
from stemmata.system.models import static_embedding
from stemmata.system.models.static_embedding import TOKENIZER, WEIGHTS, StaticModel, installed, read_weights
from tests.fakes.embedding_model import install, write_model, write_weights


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of a few words."""
    return write_model(tmp_path)


def embedded(model: StaticModel, *texts: str) -> list[list[float]]:
    return [np.frombuffer(vector, "<f2").tolist() for vector in asyncio.run(model.embed(texts))]


def test_a_vector_is_the_mean_of_the_word_pieces_at_length_one(folder: Path) -> None:
    model = StaticModel(folder)
    cat, both, unknown, empty = embedded(model, "cat", "cat dog", "zebra", "")
    assert cat == [1.0, 0.0]
    assert both == pytest.approx([0.707, 0.707], abs=1e-3)
    assert unknown == empty == [0.0, 0.0]
    assert embedded(model, "car") == [[0.0, -1.0]]


@pytest.mark.parametrize("lost", [WEIGHTS, TOKENIZER])
def test_a_missing_file_is_a_known_error(folder: Path, lost: Path) -> None:
    (folder / lost).unlink()
    with pytest.raises(KnownError, match="cannot be read"):
        embedded(StaticModel(folder), "cat")


@pytest.mark.parametrize(
    "changes", [{"dtype": "I64"}, {"shape": [8]}, {"shape": [400, 2]}, {"data_offsets": [-90000, 0]}],
)  # fmt: skip
def test_a_damaged_table_is_a_known_error(folder: Path, changes: dict[str, object]) -> None:
    write_weights(folder / WEIGHTS, **changes)
    with pytest.raises(KnownError, match="cannot be read"):
        embedded(StaticModel(folder), "cat")


@pytest.mark.parametrize("data", [b"", b"\0" * 8, b"\xff" * 8, struct.pack("<Q", 4) + b"null"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "weights").write_bytes(data)
    with pytest.raises((ValueError, AttributeError)):
        read_weights(tmp_path / "weights")


@pytest.mark.parametrize("missing", ["wordllama", "numpy", "tokenizers"])
def test_a_missing_package_is_a_known_error(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == missing else ModuleSpec(name, None, origin=f"/packages/{name}/__init__.py")

    monkeypatch.setattr(static_embedding, "find_spec", find)
    with pytest.raises(KnownError, match="not installed"):
        installed()


def test_the_model_is_found_in_its_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(folder, monkeypatch)
    assert embedded(installed(), "cat") == [[1.0, 0.0]]
