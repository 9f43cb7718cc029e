"""The verbs of the Makefile: a playbook each, with an inventory, values as data and a callback."""
