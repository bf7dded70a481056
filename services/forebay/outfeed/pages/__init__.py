"""The page `/status` of an outfeed."""
