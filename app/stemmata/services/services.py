"""All use cases over one archive. Each service is created when it is first used."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property
from random import SystemRandom
from threading import Lock
from typing import TYPE_CHECKING

from stemmata.domain.compaction.digest.digest import DigestSummariser
from stemmata.domain.settings.settings import ChatSettings, SearchSettings, folders_of
from stemmata.services.chat.auto_compaction import AutoCompaction, ConfiguredCompaction
from stemmata.services.chat.commands import CommandParts, Commands
from stemmata.services.chat.compaction_countdown import Countdown
from stemmata.services.chat.counting import ContextCounts, Counting
from stemmata.services.chat.finalising import Finalising
from stemmata.services.chat.handing_off import HandingOff
from stemmata.services.chat.memory_flush import MemoryFlush
from stemmata.services.chat.requests import ModelLookup, Requests, RunOptions, RunRequests
from stemmata.services.chat.resuming import Resuming
from stemmata.services.chat.run import RunParts, wait_before
from stemmata.services.chat.run_states import RunStates
from stemmata.services.chat.run_store import Annotations, MessageQueue, RunRecovery, RunStore
from stemmata.services.chat.runs import Runs
from stemmata.services.chat.skills import Skills
from stemmata.services.chat.summary_writing import ProviderCompactions, SummaryWriters, SummaryWriting
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.model_compaction import ModelCompactions
from stemmata.services.compaction.pruning import Pruning
from stemmata.services.compaction.quality import SummaryQuality
from stemmata.services.context.contexts import Contexts, facts_of
from stemmata.services.futures import chain, then
from stemmata.services.importing.clean_ups import CleanUps
from stemmata.services.importing.following import Following
from stemmata.services.importing.importing import Importing
from stemmata.services.search.meaning import Meaning
from stemmata.services.search.searching import Searching
from stemmata.services.sessions.branching import Branching
from stemmata.services.sessions.comparing import Comparing
from stemmata.services.sessions.conversations import Conversations
from stemmata.services.sessions.drafts import Drafts
from stemmata.services.sessions.exporting import Exporting
from stemmata.services.sessions.files import SessionFiles
from stemmata.services.sessions.git_repositories import GitRepositories
from stemmata.services.sessions.histories import Histories
from stemmata.services.sessions.sessions import Entries, Sessions, Watching
from stemmata.services.sessions.source_files import SourceFiles
from stemmata.services.sessions.titling import Titling
from stemmata.services.settings.connecting import Connecting
from stemmata.services.settings.own_models import OwnModels
from stemmata.services.settings.preferences import Preferences

if TYPE_CHECKING:
    from stemmata.domain.chat.catalogue import Catalogue
    from stemmata.domain.chat.connections import OfferedModel
    from stemmata.domain.chat.streaming import ProviderError
    from stemmata.domain.search.needle import Needle
    from stemmata.domain.settings.settings import CompactionSettings
    from stemmata.services.context.contexts import SessionFacts
    from stemmata.services.ports.archive import Clock, Pages
    from stemmata.services.ports.embedding import Embedder
    from stemmata.services.ports.providers import Loop, ProviderSource, RunConnections, Toolbox
    from stemmata.services.ports.settings import SettingsFile
    from stemmata.services.ports.skills import SkillFolders
    from stemmata.services.ports.sources import Formats, Watch
    from stemmata.services.ports.system import DesktopFiles, Documentation, PatternSource
    from stemmata.services.settings.connecting import ConnectionPorts
    from stemmata.services.tools.consents import Consents
    from stemmata.services.tools.server_settings import ServerSettings
    from stemmata.services.tools.servers import ToolServers


@dataclass(frozen=True)
class ChatPorts:
    """The adapters that chatting needs. `owner` names this process; `is_alive` says whether a process still runs.

    `servers` opens tool servers and `consents` holds the user's consents; None means no tool servers.
    `server_settings` edits the list of servers. `shipped` reads the catalogue that is shipped with the program.
    `local_embedder` returns the embedding model on this machine, or raises KnownError when it is not installed.
    `skill_folders` reads folders of skills. `pattern` returns the needle of a regular expression.
    """

    loop: Loop
    connections: ConnectionPorts
    tools: Toolbox
    owner: str
    is_alive: Callable[[str], bool]
    servers: ToolServers | None = None
    consents: Consents | None = None
    server_settings: ServerSettings | None = None
    shipped: Callable[[], Catalogue] | None = None
    local_embedder: Callable[[], Embedder] | None = None
    skill_folders: SkillFolders | None = None
    pattern: PatternSource | None = None

    def offered(self, connection: str, model: str) -> OfferedModel | None:
        """Return the connection's last report about a model; None for none. Runs on the db thread."""
        for known in self.connections.file.connections():
            if known.name == connection:
                _, models = self.connections.cache.read(known) or (0, ())
                return next((offered for offered in models if offered.id == model), None)
        return None


class Services:
    """The services over the archive of `sessions`.

    `formats`, `catalogue`, `settings_file` and `chat_ports` are called once, on first use.
    """

    def __init__(
        self,
        sessions: Sessions,
        formats: Callable[[], Formats],
        catalogue: Callable[[], Catalogue],
        settings: CompactionSettings,
        clock: Clock,
        settings_file: Callable[[], SettingsFile],
        chat_ports: Callable[[Services], ChatPorts] | None = None,
        watch: Callable[[], Watch] | None = None,
    ) -> None:
        self.sessions = sessions
        self._archive, self.notices = sessions.archive, sessions.notices
        self._make_formats, self._make_catalogue = formats, catalogue
        self._settings = settings
        self._make_settings_file = settings_file
        self.clock = clock
        self._make_chat_ports = chat_ports
        self._make_watch = watch
        self._desktop: DesktopFiles | None = None
        self._guide: Documentation | None = None
        self._offered: dict[str, Sequence[OfferedModel]] = {}  # the models that servers offered, by connection
        self._before_offers: Catalogue | None = None
        self._followed = ""
        self._offering = Lock()
        self._chat: ChatSettings | None = None
        self._search: SearchSettings | None = None

    @property
    def pages(self) -> Pages:
        """The reader of rows for the thread that first uses it: in the window, the GUI thread."""
        return self._archive.pages

    @cached_property
    def catalogue(self) -> Catalogue:
        """The facts about models: the shipped catalogue with the servers' reports and the user's own facts."""
        return self._make_catalogue()

    def offer(self, connection: str, models: Sequence[OfferedModel]) -> None:
        """Use a server's report about its models from now on. It takes precedence over the shipped catalogue.

        The user's own facts take precedence over both. Reads the settings file, so do not call it on the GUI thread.
        """
        with self._offering:
            if not self._offered:
                self._before_offers = self.catalogue
            self._offered[connection] = models
            offered = self._before_offers or self.catalogue
            for name, told in self._offered.items():  # earlier reports that the server no longer makes are dropped
                offered = offered.offering(name, told)
            self.catalogue = offered.overridden(self.chat_ports.connections.file.models())
            self.contexts.adopt(self.catalogue)

    def _read_models_anew(self) -> None:
        """Read the user's facts about models again, after they changed. Runs on the db thread."""
        with self._offering:
            catalogue = self._shipped()
            for connection, models in self._offered.items():
                catalogue = catalogue.offering(connection, models)
            self.catalogue = catalogue.overridden(self.chat_ports.connections.file.models())
            self.contexts.adopt(self.catalogue)

    @cached_property
    def own_models(self) -> OwnModels:
        """The user's own facts about models."""
        file = self.chat_ports.connections.file
        return OwnModels(self._archive, file, self._shipped, self.notices, self._read_models_anew)

    def _shipped(self) -> Catalogue:
        """The catalogue without the user's own facts."""
        return replace((self.chat_ports.shipped or self._make_catalogue)(), unasked=self.catalogue.unasked)

    @cached_property
    def drafts(self) -> Drafts:
        """The drafts of messages."""
        return Drafts(self._archive, self.clock)

    @cached_property
    def entries(self) -> Entries:
        """The entries of sessions."""
        return Entries(self._archive)

    @cached_property
    def importing(self) -> Importing:
        """Discovery and import."""
        return Importing(self._archive, self.formats, self.notices, self.clock)

    @cached_property
    def contexts(self) -> Contexts:
        """Contexts and their figures."""
        return Contexts(self.catalogue, self._settings)

    @cached_property
    def compaction(self) -> Compactions:
        """Compaction by the digest."""
        return Compactions(self._archive, self.contexts, DigestSummariser(), self.notices, self.clock)

    @cached_property
    def model_compaction(self) -> ModelCompactions:
        """Compaction with a model's summary."""
        return self._by_model(self.connecting)

    @cached_property
    def provider_compaction(self) -> ProviderCompactions:
        """Compaction with a provider's signed summary."""
        return ProviderCompactions(
            self._archive,
            self.chat_ports.loop,
            self.connecting,
            self.compaction,
            self.run_options,
            lambda: self.catalogue,
        )

    @cached_property
    def clean_ups(self) -> CleanUps:
        """The session files that tools will soon delete."""
        return CleanUps(self._archive, lambda: self.formats, self.clock)

    @cached_property
    def source_files(self) -> SourceFiles:
        """The states of sessions' source files."""
        return SourceFiles(lambda: self.followed)

    @cached_property
    def repositories(self) -> GitRepositories:
        """The repositories on this machine."""
        return GitRepositories(os.path.expanduser("~"))

    @cached_property
    def titling(self) -> Titling:
        """The titles that a model suggests."""
        return Titling(
            self._archive,
            self.sessions.notices,
            self.chat_ports.loop,
            self.connecting,
            self.connecting.known,
            lambda: self.catalogue,
        )

    @cached_property
    def summary_writing(self) -> SummaryWriting:
        """The choice of the summary's writer."""

        def writers() -> SummaryWriters:
            return SummaryWriters(
                self.chat_ports.loop, self.model_lookup, self.model_compaction, self.provider_compaction
            )

        return SummaryWriting(self._archive, self.contexts, writers)

    @cached_property
    def model_lookup(self) -> ModelLookup:
        """The model of a session."""
        return ModelLookup(self._archive, self.chat_ports.loop, self.connecting, self.run_options)

    @cached_property
    def resuming(self) -> Resuming:
        """Resuming of old sessions."""
        return Resuming(self._archive, self.contexts, self.compaction, self.summary_writing.written, self.clock)

    @cached_property
    def commands(self) -> Commands:
        """The slash commands."""
        parts = CommandParts(
            archive=self._archive, sessions=self.sessions, entries=self.entries, branching=self.branching,
            exporting=self.exporting, contexts=self.contexts, compactions=self.compaction, pruning=self.pruning,
            summary_writing=self.summary_writing, resuming=self.resuming, connecting=self.connecting,
            runs=self.runs, conversations=self.conversations, skills=self.skills,
            chat=lambda: self.chat,
        )  # fmt: skip
        return Commands(parts)

    def facts(self, session: int) -> Future[SessionFacts]:
        """Return the figures of a session for `/status` and `session show`."""
        return self._archive.read(lambda reader: facts_of(reader, self.contexts, session))

    @cached_property
    def pruning(self) -> Pruning:
        """Pruning of tool output and single entries."""
        return Pruning(self._archive, self.contexts, self.notices, self.clock)

    @cached_property
    def requests(self) -> Requests:
        """The bodies of requests, for display."""
        return Requests(self._archive, self.run_options)

    @cached_property
    def counting(self) -> Counting:
        """The counting of requests by their providers."""
        tools = self.chat_ports.tools
        self.contexts.watch_fixed_texts(lambda session: (self.chat.system_prompt, tools.definitions(session)))
        return Counting(self.contexts, self.clock)

    @cached_property
    def context_counts(self) -> ContextCounts:
        """The counting of contexts that the user asks for."""
        return ContextCounts(self.chat_ports.loop, self._run_requests(self.connecting), self.counting)

    def _run_requests(self, connections: ProviderSource) -> RunRequests:
        servers = self.chat_ports.servers
        ready = servers.ready if servers else None
        return RunRequests(self._archive, connections, self.contexts, self.run_options, ready, self.skills.troubles)

    @cached_property
    def branching(self) -> Branching:
        """The operations on a session's tree."""
        return Branching(self._archive, self.notices, self.clock)

    @cached_property
    def histories(self) -> Histories:
        """Undo and redo."""
        return Histories(self._archive, self.notices, self.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations with keys and their resets."""
        return Conversations(self._archive, self.notices, self.clock, lambda: self.chat)

    @property
    def place(self) -> str:
        """The path of the archive's file."""
        return self._archive.place

    @cached_property
    def comparing(self) -> Comparing:
        """Comparison of branches."""
        return Comparing(self._archive, self.notices, self.clock)

    @cached_property
    def files(self) -> SessionFiles:
        """The files that sessions read and changed."""
        return SessionFiles(self._archive)

    @cached_property
    def searching(self) -> Searching:
        """Full-text search."""
        return Searching(self._archive)

    @cached_property
    def watching(self) -> Watching:
        """Detection of other processes' writes."""
        return Watching(self._archive, self.notices)

    @cached_property
    def following(self) -> Following:
        """Following of folders; it follows none until `follow` is called."""
        assert self._make_watch is not None, "these services were made without a watch"
        return Following(self._archive, self.importing, lambda: self.formats, self._make_watch())

    @property
    def desktop(self) -> DesktopFiles:
        """The files by which the user's desktop knows the program."""
        assert self._desktop is not None, "these services were made without a desktop"
        return self._desktop

    @property
    def guide(self) -> Documentation:
        """The pages of the documentation."""
        assert self._guide is not None, "these services were made without a guide"
        return self._guide

    def adopt_desktop(self, files: DesktopFiles, guide: Documentation) -> None:
        """Use these files of the user's desktop and these pages of the documentation."""
        self._desktop, self._guide = files, guide

    @property
    def followed(self) -> tuple[str, ...]:
        """The folders to follow, from the current settings."""
        return folders_of(self._followed)

    def adopt_followed(self, setting: str) -> None:
        """Follow the folders of a changed setting, when following has started."""
        changed, self._followed = setting != self._followed, setting
        if changed and "following" in self.__dict__:
            self.following.follow(self.followed)

    @cached_property
    def exporting(self) -> Exporting:
        """Export in other tools' formats."""
        return Exporting(self._archive, self.formats)

    @cached_property
    def handing_off(self) -> HandingOff:
        """Handing sessions over to other tools."""
        return HandingOff(self._archive, lambda: self.formats, lambda: self.summary_writing, self.clock)

    @cached_property
    def chat_ports(self) -> ChatPorts:
        """The adapters for chatting, created on first use."""
        assert self._make_chat_ports is not None, "these services were made without a network"
        return self._make_chat_ports(self)

    @property
    def chat(self) -> ChatSettings:
        """The current chat settings."""
        return self._chat or ChatSettings()

    def adopt_chat(self, settings: ChatSettings) -> None:
        """Make chat settings effective."""
        self._chat = settings

    def adopt_search(self, settings: SearchSettings) -> None:
        """Make search settings effective."""
        self._search = settings

    @property
    def _search_settings(self) -> SearchSettings:
        return self._search or SearchSettings()

    @property
    def searches_meaning(self) -> bool:
        """Whether a model for search by meaning is chosen."""
        return self._search_settings.finds_meaning

    def pattern(self, pattern: str, *, case: bool, word: bool, patient: bool) -> Needle:
        """Return the needle that finds a regular expression; see `PatternSource`."""
        source = self.chat_ports.pattern
        assert source is not None, "these services were made without regular expressions"
        return source(pattern, case=case, word=word, patient=patient)

    @cached_property
    def meaning(self) -> Meaning:
        """Search by meaning."""
        ports = self.chat_ports
        assert ports.local_embedder is not None, "these services were made without a model for embeddings"
        return Meaning(
            self._archive, ports.loop, self.connecting, lambda: self._search_settings, ports.local_embedder
        )

    @cached_property
    def summary_quality(self) -> SummaryQuality:
        """The measurement of summaries by planted facts."""
        return SummaryQuality(self._archive, self.chat_ports.loop, self.connecting, lambda: self.catalogue)

    @cached_property
    def connecting(self) -> Connecting:
        """Connections to models."""
        return Connecting(self.chat_ports.connections)

    @cached_property
    def run_options(self) -> RunOptions:
        """The options of requests."""
        if self._make_chat_ports is None:
            return RunOptions(self.contexts.window, lambda: self.chat)
        chat_ports = self.chat_ports
        return RunOptions(
            self.contexts.window,
            lambda: self.chat,
            chat_ports.tools.definitions,
            chat_ports.offered,
            lambda: chat_ports.connections.file.connections(),
            lambda model: self.catalogue.most_output(model),
        )

    @cached_property
    def skills(self) -> Skills:
        """The skills of the chosen folders."""
        folders = self.chat_ports.skill_folders
        return Skills(self._archive, self.notices, self.clock, folders, lambda: self.chat)

    @cached_property
    def runs(self) -> Runs:
        """The service that starts and stops runs."""
        return self.runs_over(self.connecting)

    def runs_over(self, connections: RunConnections) -> Runs:
        """Return runs that use these connections in place of those in the settings."""
        archive, notices, clock, contexts = self._archive, self.notices, self.clock, self.contexts
        chat_ports, states, annotations = self.chat_ports, RunStates(), Annotations(archive, notices, clock)
        by_model = self._by_model(connections)
        configured = ConfiguredCompaction(archive, contexts, self.compaction, by_model, connections)
        parts = RunParts(
            store=RunStore(archive, notices, clock, chat_ports.owner, chat_ports.is_alive, self.skills.for_prompt),
            requests=self._run_requests(connections),
            counting=self.counting,
            auto_compaction=AutoCompaction(
                archive,
                contexts,
                self.pruning,
                configured.compact,
                annotations.note,
                states.tell,
                Countdown(archive, contexts, clock, states.tell),
            ),
            states=states,
            toolbox=chat_ports.tools,
            options=self.run_options,
            known_model=lambda name: self.catalogue.find(name),
            learn_limit=connections.learn_limit,
            clock=clock,
            random=SystemRandom(),  # spreads the retries of many clients
        )
        recovery = RunRecovery(archive, notices, clock, chat_ports.is_alive)
        queue, flush = (
            MessageQueue(archive, states, clock),
            MemoryFlush(archive, contexts, parts, chat_ports.consents),
        )
        finalising = Finalising(archive, notices, configured.written, annotations.note)
        return Runs(chat_ports.loop, parts, queue, annotations, recovery, finalising, flush)

    def _by_model(self, connections: ProviderSource) -> ModelCompactions:
        loop = self.chat_ports.loop
        return ModelCompactions(self.compaction, connections, lambda: self.catalogue, loop, self._retry_wait)

    def _retry_wait(self, attempt: int, error: ProviderError) -> float | None:
        """Return the seconds until a busy server is asked for a summary again; None to give up."""
        chat = self.chat
        return wait_before(attempt, error, chat.longest_wait, SystemRandom()) if attempt <= chat.retries else None

    def recover(self) -> Future[int]:
        """Recover the runs of dead processes and return their number. Loads little when there are none."""
        found = self._archive.read(lambda reader: reader.open_runs())
        return chain(found, lambda runs: self.runs.recover() if runs else then(found, len))

    def close(self) -> None:
        """Stop all runs and hang up. The archive stays open. Calling it twice is harmless."""
        made = self.__dict__
        if "following" in made:
            made.pop("following").close()
        if "runs" in made:
            made.pop("runs").close()
        connecting = made.pop("connecting", None)
        if "chat_ports" in made:
            chat_ports = made.pop("chat_ports")
            if chat_ports.servers is not None:
                chat_ports.servers.close()
            chat_ports.loop.close(connecting and connecting.close)

    @cached_property
    def preferences(self) -> Preferences:
        """Reading and changing settings."""
        return Preferences(
            self._archive, self._make_settings_file(), self.notices, self._adopt, self.adopt_chat,
            self.adopt_followed, self.adopt_search,
        )  # fmt: skip

    def _adopt(self, settings: CompactionSettings) -> bool:
        """Adopt compaction settings; returns whether they differ from the current ones."""
        changed, self._settings = settings != self._settings, settings
        self.contexts.settings = settings
        return changed

    @cached_property
    def formats(self) -> Formats:
        """The formats that can be read and written."""
        return self._make_formats()
