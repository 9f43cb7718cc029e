import builtins

import pytest
from kafka_metal_client.errors import ClientError
from kafka_metal_reconciliation.archive import require_pyarrow


def test_error_without_pyarrow_names_the_remedy(monkeypatch):
    real = builtins.__import__

    def without_pyarrow(name, *rest):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    with pytest.raises(
        ClientError, match=r"pipeline's container, or install kafka-metal-reconciliation"
    ):
        require_pyarrow()
