"""Pods of a store that are not primary: they keep a copy, and wait for their turn."""
