"""What tests of a running platform share, whatever carries it: nodes, one machine, Compose."""
