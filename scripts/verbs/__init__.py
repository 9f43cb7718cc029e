"""The verbs of the Makefile: values are data, Ansible reports where it writes answers."""
