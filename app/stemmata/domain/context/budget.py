"""How much of a model's window may be used, and when compaction is due."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.settings.settings import CompactionSettings as CompactionSettings

MINIMUM_USABLE = 0.4  # of any window: fixed reserves would leave small local models with nothing
GATEWAY_RESERVE_FLOOR = 20000  # sessions that came from a gateway (OpenClaw raises pi's reserve to this)


@dataclass(frozen=True, slots=True)
class Budget:
    """`window` in tokens, None when unknown: then nothing is ever due and nothing is blocked."""

    window: int | None
    reserve: int
    trigger: int | None

    @classmethod
    def of(cls, window: int | None, settings: CompactionSettings, *, gateway: bool = False) -> Budget:
        """Trigger = min(window × threshold, window − reserve); the reserve shrinks with small windows."""
        reserve = max(settings.reserve_tokens, GATEWAY_RESERVE_FLOOR) if gateway else settings.reserve_tokens
        if window is None:
            return cls(None, reserve, None)
        reserve = min(reserve, int(window * (1 - MINIMUM_USABLE)))
        trigger = min(window * settings.threshold_percent // 100, window - reserve)
        return cls(window, reserve, max(trigger, int(window * MINIMUM_USABLE)))

    def is_due(self, tokens: int | None) -> bool:
        """Whether a context of this size calls for compaction: strictly above the trigger."""
        return self.trigger is not None and tokens is not None and tokens > self.trigger
