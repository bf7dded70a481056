"""Mirrors: other pods that keep the same messages, so that one of them goes on when the primary is gone.

The primary sends each mirror what its rounds make durable. A mirror has what a start of the store would find: message
store, queue indexes. So to be promoted is to start on what is there.
"""
