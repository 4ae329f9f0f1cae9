"""What servers of models tell beside the APIs they share: the window that a model is really run with.

Taken from the answers of Ollama 0.9 and later, llama.cpp's server, LM Studio 0.3.6, vLLM and OpenRouter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.fake_models import FakeModel, find
from tests.fakes.loopback import Exchange

Kind = Literal["", "ollama", "llama.cpp", "lm-studio", "vllm", "openrouter"]
OWNERS = {"ollama": "library", "llama.cpp": "llamacpp", "lm-studio": "organization_owner", "vllm": "vllm"}


@dataclass
class OwnWays:
    """`kind` "" answers nothing of all this. `loaded`: the windows of the models that are in memory.

    `parameters` are of Ollama's model files. `garbage` is answered in place of everything that is no list of models.
    """

    kind: Kind = ""
    loaded: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    capabilities: dict[str, list[str]] = field(default_factory=dict)
    garbage: bytes | None = None

    def listed(self, model: FakeModel) -> dict[str, Any]:
        """Return the fields besides ids in the list of models in OpenAI's form."""
        facts: dict[str, Any] = {"owned_by": OWNERS.get(self.kind, "fake")}
        match self.kind:
            case "llama.cpp":
                facts["meta"] = {"n_ctx_train": model.window}
            case "vllm":
                facts["max_model_len"] = model.window
            case "openrouter":
                facts |= {"name": model.name or model.id, "context_length": model.window}
                facts["pricing"] = {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "3e-7"}
                facts["top_provider"] = {"max_completion_tokens": model.most_output}
        return facts

    def answer(self, exchange: Exchange, models: Sequence[FakeModel]) -> bool:
        """Whether it was one of these questions, and is answered."""
        path = exchange.request.path.partition("?")[0]
        if self.garbage is not None and path.startswith(("/api/", "/props")):
            exchange.send(200, self.garbage)
            return True
        told = self._told(path, exchange, models)
        if told is not None:
            exchange.send_json(200, told)
        return told is not None

    def _told(self, path: str, exchange: Exchange, models: Sequence[FakeModel]) -> Mapping[str, Any] | None:
        match self.kind, path:
            case "ollama", "/api/tags":
                return {"models": [{"name": model.id, "model": model.id} for model in models]}
            case "ollama", "/api/ps":
                running = self.loaded.items()
                return {"models": [{"name": id, "model": id, "context_length": size} for id, size in running]}
            case "ollama", "/api/show":
                return self._shown(find(models, exchange.request.body["model"]))
            case "llama.cpp", "/props":
                size = next(iter(self.loaded.values()), models[0].window)
                return {"default_generation_settings": {"n_ctx": size}, "total_slots": 1, "model_path": models[0].id}
            case "lm-studio", "/api/v0/models":
                return {"object": "list", "data": [self._studio(model) for model in models]}
        return None

    def _shown(self, model: FakeModel | None) -> Mapping[str, Any] | None:
        if model is None:
            return None
        return {
            "parameters": self.parameters.get(model.id, 'stop    "<|im_end|>"\ntemperature    0.6'),
            "details": {"family": "qwen3"},
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": model.window},
            "capabilities": self.capabilities.get(model.id, ["completion", "tools", "thinking"]),
        }

    def _studio(self, model: FakeModel) -> dict[str, Any]:
        facts = {"id": model.id, "object": "model", "type": "llm", "max_context_length": model.window}
        if model.id in self.loaded:
            return facts | {"state": "loaded", "loaded_context_length": self.loaded[model.id]}
        return facts | {"state": "not-loaded"}
