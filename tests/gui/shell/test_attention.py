"""Work that nobody waits for makes way while the window is scrolled."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.gui.core.attention import NAP, REST, Attention


class FakeClock:
    """Seconds that pass only by naps, each of which runs what a test wants to happen meanwhile."""

    def __init__(self) -> None:
        self.now = 0.0
        self.naps: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def nap(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds
        self.meanwhile()


def test_work_waits_until_nobody_has_scrolled_for_a_moment() -> None:
    clock = FakeClock()
    attention = Attention(lambda: clock.now, clock.nap)
    go_on = attention.when_free(lambda: True)
    assert go_on()
    assert clock.naps == []
    attention.scrolled(7)
    assert attention.is_scrolled
    assert go_on()
    assert clock.naps == [NAP] * round(REST / NAP)
    assert not attention.is_scrolled


def test_work_waits_longer_while_the_scrolling_goes_on() -> None:
    clock = FakeClock()
    attention = Attention(lambda: clock.now, clock.nap)
    attention.scrolled()
    clock.meanwhile = lambda: attention.scrolled() if len(clock.naps) <= 10 else None
    assert attention.when_free(lambda: True)()
    assert len(clock.naps) >= 10 + round(REST / NAP)


def test_work_that_is_not_wanted_any_more_ends_at_once() -> None:
    clock = FakeClock()
    attention = Attention(lambda: clock.now, clock.nap)
    attention.scrolled()
    assert not attention.when_free(lambda: False)()
    assert clock.naps == []
    wanted = [True]
    clock.meanwhile = wanted.clear
    assert not attention.when_free(lambda: bool(wanted))()
    assert len(clock.naps) == 1
