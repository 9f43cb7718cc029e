"""Send known payments, and reconcile them: where each record is in the log and in the outputs.

Tests and the demonstration use it, by the commands ``kafka-metal demo`` and ``kafka-metal ledger``
(cli.py). A run has a ledger (ledger.py): what a broker acknowledged, and at which offset. Only
archive.py imports pyarrow, when it reads.
"""
