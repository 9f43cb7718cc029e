"""Exit codes of ``kafka-metal-pipeline``."""

DONE = 0
# A fault that another start may not have, such as a dead JVM.
DIED = 1
# Wrong arguments, or an invalid declaration, statement, checkpoint or option.
REFUSED = 2

# In place of an exit code: the queries have stopped, for another declaration.
CHANGED = -1
# Of one round of queries: they start again with other schemas.
RENEW = -2
