"""The verbs of the Makefile: playbooks with an inventory, values as variables, and a callback."""
