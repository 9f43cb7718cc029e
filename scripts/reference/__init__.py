"""Pages of the documentation that are generated from the sources, one module per page."""
