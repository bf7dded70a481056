"""Declarations: what nodes tell each other of resources, publishers, subscribers and selections, and what follows."""
