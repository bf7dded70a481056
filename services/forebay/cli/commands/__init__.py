"""The commands: their arguments, options and help."""
