"""Nodes on real sockets, for the service and for programs at the edge: nothing but asyncio and the core is needed."""
