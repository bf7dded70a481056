"""The formats of the feed log on disk: which articles were accepted, and which peers still need the body of each."""
