"""The logic of a conduit node without sockets, clock or tasks: service and client library stand on the same."""
