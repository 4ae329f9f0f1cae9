"""What chatting is made of: put together when the first message is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom
from typing import TYPE_CHECKING

from stemmata.domain.chat.catalogue import Catalogue
from stemmata.domain.chat.connections import OfferedModel
from stemmata.services.chat.auto_compaction import RunCompaction, RunReduction
from stemmata.services.chat.memory_flush import MemoryFlush
from stemmata.services.chat.next_request import RunRequests
from stemmata.services.chat.queue import RunQueue
from stemmata.services.chat.recovery import RunRecovery
from stemmata.services.chat.run import RunParts
from stemmata.services.chat.run_states import RunBoard
from stemmata.services.chat.run_store import RunMarks, RunStore
from stemmata.services.chat.runs import Runs
from stemmata.services.compaction.model_compaction import ModelCompactions
from stemmata.services.ports.archive import Archive, Clock
from stemmata.services.ports.providers import Loop, RunConnections, Toolbox
from stemmata.services.settings.connecting import World
from stemmata.services.tools.consents import Consents
from stemmata.services.tools.server_settings import ServerSettings
from stemmata.services.tools.servers import ToolServers

if TYPE_CHECKING:
    from stemmata.services.services import Services


@dataclass(frozen=True)
class ChatWorld:
    """What chatting needs from outside. `owner` names this process; `is_alive` tells whether one still runs.

    `servers` are those of tools, `consents` what the person allowed; where there are none, none are started.
    `server_settings` changes which servers there are. `shipped` reads the models that come with the program.
    """

    loop: Loop
    connections: World
    tools: Toolbox
    owner: str
    is_alive: Callable[[str], bool]
    servers: ToolServers | None = None
    consents: Consents | None = None
    server_settings: ServerSettings | None = None
    shipped: Callable[[], Catalogue] | None = None

    def offered(self, connection: str, model: str) -> OfferedModel | None:
        """What the server of this connection last told of the model. On the db thread."""
        for known in self.connections.file.connections():
            if known.name == connection:
                _, models = self.connections.cache.read(known) or (0, ())
                return next((offered for offered in models if offered.id == model), None)
        return None


def runs_of(services: Services, archive: Archive, clock: Clock, connected: RunConnections | None = None) -> Runs:
    """`connected` in place of the connections of the settings."""
    world, notices, board = services.world, services.notices, RunBoard()
    connected = connected or services.connecting
    written = ModelCompactions(services.compaction, connected, lambda: services.catalogue, world.loop)
    compaction = RunCompaction(archive, services.contexts, services.compaction, written, connected)
    marks = RunMarks(archive, notices, clock)
    parts = RunParts(
        store=RunStore(archive, notices, clock, world.owner, world.is_alive),
        requests=RunRequests(
            archive,
            connected,
            services.contexts,
            services.run_options,
            world.servers.ready if world.servers else None,
        ),
        reduction=RunReduction(archive, services.contexts, services.pruning, compaction.compact, marks.note),
        board=board,
        toolbox=world.tools,
        options=services.run_options,
        known_model=lambda name: services.catalogue.find(name),
        learn_limit=connected.learn_limit,
        clock=clock,
        random=SystemRandom(),  # spreads the tries of many clients
    )
    recovery = RunRecovery(archive, notices, clock, world.is_alive)
    flush = MemoryFlush(archive, services.contexts, parts)
    return Runs(world.loop, parts, RunQueue(archive, board, clock), marks, recovery, flush)
