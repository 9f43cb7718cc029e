"""The verbs of the Makefile: values are data, answers are found where Ansible says."""
