"""Boards as one page that needs nobody: figures from Prometheus, pictures inside."""
