"""Wait for the registry of a source, before queries start."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from kafka_metal_declarations.model import AVAILABLE_NOW, Declaration

from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.declared_file import DeclaredFile, has_changed
from kafka_metal_pipeline.exit_codes import CHANGED, DONE
from kafka_metal_pipeline.refusals import REFUSALS
from kafka_metal_pipeline.registry import WriterSchemas
from kafka_metal_pipeline.registry_requests import RegistryError
from kafka_metal_pipeline.status import FAILING, STARTING, Board
from kafka_metal_pipeline.supervision import FIRST_PAUSE_S, Attempt, output_state

log = logging.getLogger(__name__)


def read_schemas(
    file: DeclaredFile,
    board: Board,
    stopping: threading.Event,
    read: Callable[[Declaration], WriterSchemas] = WriterSchemas,
) -> WriterSchemas | int:
    """Return the schemas of the source, once its registry has them.

    DONE instead if ``stopping`` is set meanwhile, CHANGED for another declaration. All outputs are
    failing until then, as with other causes outside of the pipeline. Raises RegistryError instead
    for `available-now`, which repeats nothing.
    """
    declaration = file.declaration
    failed, outputs = Attempt(), all_checkpoints(declaration)
    while True:
        try:
            found = read(declaration)
            break
        except RegistryError as error:
            if isinstance(error, REFUSALS) or declaration.trigger == AVAILABLE_NOW:
                raise
            message = str(error)
        if message != failed.message:
            log.error("pipeline %s: %s; retries", declaration.name, message)
        failed = Attempt(
            error=RegistryError(message),
            message=message,
            restarts=failed.restarts + (failed.error is not None),
            due=time.monotonic() + FIRST_PAUSE_S,
            failed_at=datetime.now(UTC),
        )
        for name in outputs:
            board.set_output(name, output_state(failed))
        board.set_state(FAILING)
        if stopping.wait(FIRST_PAUSE_S):
            return DONE
        if has_changed(file, board):
            return CHANGED
    for name in outputs if failed.error else ():
        board.set_output(name, output_state(Attempt(restarts=failed.restarts)))
    board.set_state(STARTING)
    return found
