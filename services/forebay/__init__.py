"""Forebay: everything comes in once, is kept once, and goes out to everyone at each one's own pace."""
