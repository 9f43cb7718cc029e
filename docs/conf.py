"""Sphinx: Markdown by MyST. `make docs` builds it with the generated reference."""

project = "kafka-metal"
author = "the kafka-metal authors"
copyright = author  # noqa: A001
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
# Links to headings, as Markdown readers make them.
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"description": "Apache Kafka on your own machines", "page_width": "70em"}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html", "relations.html"]}
html_show_sphinx = False
