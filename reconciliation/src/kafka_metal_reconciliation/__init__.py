"""Send generated payments, and reconcile each record with the log and with the outputs.

Used by tests and the demonstration, through ``kafka-metal demo`` and ``kafka-metal ledger``
(cli.py). Each run has a ledger (ledger.py) of acknowledged records and their offsets. Only
archive.py imports pyarrow, and only when it reads.
"""
