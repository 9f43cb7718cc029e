"""Helpers for tests of a running platform on test nodes or on one machine."""
