"""An embedding model of a few words, in the files of the real one."""

from __future__ import annotations

import json
import struct
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from stemmata.system.models import static_embedding
from stemmata.system.models.static_embedding import TOKENIZER, WEIGHTS

WORDS = {"cat": [1.0, 0.0], "feline": [0.95, 0.31], "dog": [0.0, 1.0], "car": [0.0, -2.0], "[UNK]": [0.0, 0.0]}


def write_weights(path: Path, **changes: object) -> None:
    """Write the table of the words' vectors; `changes` replace parts of its header."""
    table = np.array([*WORDS.values()], "<f2")
    data = table.tobytes()
    facts = {"dtype": "F16", "shape": list(table.shape), "data_offsets": [0, len(data)]} | changes
    header = json.dumps({"__metadata__": {"format": "pt"}, "embedding.weight": facts}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def write_model(folder: Path) -> Path:
    """Write the files of the model and return their folder."""
    write_weights(folder / WEIGHTS)
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    (folder / TOKENIZER).parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / TOKENIZER))
    return folder


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the program find the model as if its package were installed."""
    origin = str(write_model(folder) / "__init__.py")
    monkeypatch.setattr(static_embedding, "find_spec", lambda name: ModuleSpec(name, None, origin=origin))
