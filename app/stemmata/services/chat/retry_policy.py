"""When to ask again by itself, and what the person may do when it does not help."""

from __future__ import annotations

from random import Random

from stemmata.domain.chat.streaming import Fault, ProviderError

FIRST_WAIT = 1.0  # seconds
SPREAD = 0.25  # so that many clients do not come back at once

WAYS_OUT = ("cut", "exclude", "summarise", "model", "take-back")  # of an entry that is larger than the window
_OFFERS = {
    Fault.OVERFLOW: ("compact", "retry"),
    Fault.TOO_LARGE: ("compact", "retry"),
    Fault.UNUSABLE: ("model", "settings", "retry"),
    Fault.KEY: ("connect", "retry"),
    Fault.MODEL: ("model", "retry"),
    Fault.MONEY: ("connect", "retry"),
    Fault.SETUP: ("connect", "retry"),
    Fault.REQUEST: ("retry", "settings"),
}


def wait_before(attempt: int, error: ProviderError, longest: float, random: Random) -> float:
    """Seconds before the next try, after `attempt` tries failed: what the server asks for, else 1, 2, 4 … ± 25 %."""
    if error.retry_after is not None:
        return min(max(error.retry_after, 0.0), longest)
    return min(FIRST_WAIT * 2.0 ** (attempt - 1), longest) * random.uniform(1 - SPREAD, 1 + SPREAD)


def offers_for(error: ProviderError) -> tuple[str, ...]:
    """What may help a request that failed before its reply began."""
    return _OFFERS.get(error.fault, ("retry",))
