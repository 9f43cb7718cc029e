"""Render boards as a self-contained HTML page with metrics from Prometheus."""
