"""One connection to a peer: the NNTP dialogue, its window, and its outcomes."""
