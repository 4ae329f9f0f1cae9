"""What holds for every test: no display, no real folders or keys, no unexpected log record, nothing left running."""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Before anything imports Qt. TEST_PLATFORM is for `python -m tests.monkey` on a display of its own.
os.environ["QT_QPA_PLATFORM"] = os.environ.get("TEST_PLATFORM", "offscreen")

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QApplication, QWidget
    from pytestqt.qtbot import QtBot

    from stemmata.system.loop import IoLoop
    from tests.fakes.anthropic_server import AnthropicServer
    from tests.fakes.openai_server import OpenAIServer

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT.parent / "shared" / "samples"
UNTHEMED = "unthemedFont"  # property of the application: its font before any theme
MOUSE_HOME = 10, 10  # where Qt's offscreen platform puts the pointer first
GRACE = 60.0  # seconds a thread may take to end after its test
# What points programs at real folders, keys and servers.
FOREIGN = (
    "STEMMATA_",
    "XDG_",
    "ANTHROPIC_",
    "CLAUDE_",
    "OPENAI_",
    "OPENCLAW_",
    "MOLTBOT_",
    "CLAWDBOT_",
    "PI_",
    "CODEX_",
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # by a shell that runs the tests in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # programs that tests interrupt would ignore it as well

gc.disable()  # what is imported and collected stays; see pytest_collection_finish, and below

# No deadline and no "too slow": the machine may be busy. No database: what failed is copied into a test by hand.
PATIENT: dict[str, Any] = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
# Every run of the check draws new examples. Before a change of a tree or a format: --hypothesis-profile thorough
settings.register_profile("stemmata", max_examples=50, **PATIENT)
settings.register_profile("thorough", max_examples=1000, **PATIENT)
settings.load_profile("stemmata")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep property tests and tests with real files out of what is covered, and run them last.

    Examples are random, not every machine has the files, and tracing them takes minutes. Tests whose property is in
    an inner function, and tests that measure memory, are marked by hand. They come last because they may be the first
    to load a module or to compute what is kept, whose lines would then never be covered.
    """
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)) or "samples" in getattr(item, "fixturenames", ()):
            item.add_marker("no_cover")
    items.sort(key=lambda item: item.get_closest_marker("no_cover") is not None)


def pytest_collection_finish() -> None:
    """Leave out what was imported and collected, a million objects, when garbage is searched for between tests."""
    _exempt()


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the folder of real session files of other tools; skip the test when it is missing."""
    if not SAMPLES.is_dir():
        pytest.skip("the sample sessions are not on this machine")
    return SAMPLES


@pytest.fixture(scope="session", autouse=True)
def _new_archives() -> Iterator[None]:
    """Copy the first new archive for each later one; `tests/unit/store/schema` makes them in all their steps."""
    from stemmata.store import archive
    from tests.fakes.new_archives import NewArchives

    made = NewArchives()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "migrate", made.migrate)
        yield
    made.close()


@pytest.fixture(autouse=True)
def profile(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Provide an empty home folder for the test, without the settings of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, folder in (
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_CACHE_HOME", ".cache"),
    ):
        monkeypatch.setenv(name, str(home / folder))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    return home


@pytest.fixture
def loop() -> Iterator[IoLoop]:
    """The loop on which the program waits for the network."""
    from stemmata.system.loop import IoLoop

    made = IoLoop()
    yield made
    made.close()


@pytest.fixture
def anthropic_server() -> Iterator[AnthropicServer]:
    """A strict fake of Anthropic's API on loopback; what it says is scripted, or an echo."""
    from tests.fakes.anthropic_server import AnthropicServer

    with AnthropicServer() as server:
        yield server


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """The same for both of OpenAI's."""
    from tests.fakes.openai_server import OpenAIServer

    with OpenAIServer() as server:
        yield server


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """A report may hold a lone surrogate, which the pipe between the test processes does not carry."""
    data = yield
    return _printable(data)


def _printable(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode()
    if isinstance(data, dict):
        return {_printable(key): _printable(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(map(_printable, data))
    return data


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """Return the arguments of the application that pytest-qt makes."""
    from stemmata.gui.theme.theme import STYLE

    return ["stemmata", *STYLE]


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> Iterator[QApplication]:
    """Return pytest-qt's application in English; the plural forms are in the file of translations."""
    from stemmata.assets import resource
    from stemmata.gui.core.language import Language

    language = Language(qapp, resource("i18n"), "en")
    qapp.setProperty(UNTHEMED, qapp.font())
    with pytest.MonkeyPatch.context() as patch:
        drawn = _draw_icons_once(patch)
        yield qapp
    drawn.clear()  # no picture may outlive the application
    language.remove()
    # A long copy is an object of Python; Qt would ask for its text when Python is no longer there.
    qapp.clipboard().clear()


def _draw_icons_once(patch: pytest.MonkeyPatch) -> dict[tuple[str, str, int, float], QPixmap]:
    """Draw each icon once for all windows of the process: a window needs 140, a tenth of the time that it takes."""
    from stemmata.gui.theme.icons import IconSet

    drawn: dict[tuple[str, str, int, float], QPixmap] = {}
    draw = IconSet.pixmap

    def pixmap(icons: IconSet, name: str, color: str, size: int, ratio: float) -> QPixmap:
        key = name, color, size, ratio
        if key not in drawn:
            drawn[key] = draw(icons, *key)
        return drawn[key]

    patch.setattr(IconSet, "pixmap", pixmap)
    return drawn


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """Return pytest-qt's bot with the patience of all tests."""
    from tests.fakes.patient_bot import PatientBot

    return PatientBot(request)


# -- log records -----------------------------------------------------------------------------------------------------


class _Unexpected(logging.Handler):
    """Collects log records from warnings up, unless the test watches their level with `caplog`."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        super().__init__(logging.WARNING)
        self.caplog = caplog
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        watched = self.caplog.handler.level
        if not watched or record.levelno < watched:
            self.records.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _no_unexpected_logs(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    handler = _Unexpected(caplog)
    root = logging.getLogger()
    root.addHandler(handler)
    yield
    root.removeHandler(handler)
    if handler.records:
        pytest.fail("unexpected log records:\n" + "\n".join(handler.records), pytrace=False)


# -- garbage ---------------------------------------------------------------------------------------------------------

MOST_YOUNG = (
    200_000  # objects that tests may leave before garbage is searched for, which takes a twentieth of a second
)


@pytest.fixture(autouse=True)
def _garbage_only_between_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Search for garbage between tests when there are many new objects, and at no other moment.

    Closed windows are garbage in circles. When Python deletes them on another thread, Qt waits for the GUI thread,
    which may be waiting for that thread; when it deletes them while Qt goes through its widgets, Qt crashes. The
    program, which would count the objects of all tests since the last search again and again, is told of no new ones.
    A test that is marked `enables_gc` may search as the program does; it begins without young objects.

    What a search leaves is exempted from the next ones: among all objects of a test process it takes seconds.
    """
    gc.disable()
    searches = request.node.get_closest_marker("enables_gc") is not None
    if searches:
        _exempt()
    with monkeypatch.context() as patch:
        if not searches:
            for name in ("enable", "freeze", "unfreeze"):
                patch.setattr(gc, name, lambda: None)
            patch.setattr(gc, "get_count", lambda: (0, 0, 0))
        yield
    gc.disable()
    if searches or gc.get_count()[0] > MOST_YOUNG:
        _exempt()


def _exempt() -> None:
    gc.collect()
    gc.freeze()


# -- leaks -----------------------------------------------------------------------------------------------------------


def _lasting(find: Callable[[], list[Any]], seconds: float) -> list[Any]:
    """Return the objects that `find` still finds after waiting for them to disappear."""
    end = time.monotonic() + seconds
    while (found := find()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    before = set(threading.enumerate())

    def leaked() -> list[threading.Thread]:
        return [
            thread
            for thread in threading.enumerate()
            if thread not in before and not isinstance(thread, threading._DummyThread)
        ]

    yield
    if found := _lasting(leaked, GRACE):
        pytest.fail(f"threads left running: {', '.join(thread.name for thread in found)}", pytrace=False)


@pytest.fixture(autouse=True)
def _no_leaked_widgets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if "qapp" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("qapp")
    _bring_mouse_home()
    before = _top_level_widgets()
    started = _record_timers(monkeypatch)
    yield
    _undress()
    _settle()
    if widgets := _lasting_after_collection(
        lambda: [widget for at, widget in _top_level_widgets().items() if at not in before]
    ):
        pytest.fail(f"top-level widgets left behind: {', '.join(map(repr, widgets))}", pytrace=False)
    if timers := _lasting_after_collection(lambda: [timer for timer in started if _is_active(timer)]):
        pytest.fail(f"timers left running: {', '.join(_named(timer()) for timer in timers)}", pytrace=False)


def _named(timer: Any) -> str:
    """A timer with its interval and the objects that own it, innermost first: its address says nothing."""
    owners, owner = [], timer.parent()
    while owner is not None:
        owners.append(owner.objectName() or type(owner).__name__)
        owner = owner.parent()
    return f"{timer.interval()} ms of {' in '.join(owners) or 'nobody'}"


def _top_level_widgets() -> dict[int, QWidget]:
    """Return the windows without an owner by address, because Python's wrappers come and go."""
    import shiboken6
    from PySide6.QtWidgets import QApplication

    found = [widget for widget in QApplication.topLevelWidgets() if widget.parent() is None]
    return {shiboken6.getCppPointer(widget)[0]: widget for widget in found}


def _bring_mouse_home() -> None:
    """Put the pointer where it was at first: what lies below it is hovered, and shows its tooltip after a while."""
    from PySide6.QtGui import QCursor

    if os.environ["QT_QPA_PLATFORM"] == "offscreen":
        QCursor.setPos(*MOUSE_HOME)


def _undress() -> None:
    """A style sheet outlives the theme that made it and names pictures that went with it, and so does its font."""
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance()
    if isinstance(application, QApplication) and application.styleSheet():
        application.setStyleSheet("")
        application.setFont(application.property(UNTHEMED))


def _settle() -> None:
    """Run the deletions that were deferred to the event loop."""
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _lasting_after_collection(find: Callable[[], list[Any]]) -> list[Any]:
    """Return the objects that survive a garbage collection, which is slow and only run when some are found."""
    found = find()
    if found:
        del found
        gc.collect()
        _settle()
        found = find()
    return found


def _record_timers(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[QTimer]]:
    from PySide6.QtCore import QTimer

    started: list[weakref.ref[QTimer]] = []
    start = QTimer.start

    def recording_start(timer: QTimer, *arguments: Any) -> None:
        started.append(weakref.ref(timer))
        start(timer, *arguments)

    monkeypatch.setattr(QTimer, "start", recording_start)
    return started


def _is_active(timer: weakref.ref[QTimer]) -> bool:
    import shiboken6

    known = timer()
    return known is not None and shiboken6.isValid(known) and known.isActive()
