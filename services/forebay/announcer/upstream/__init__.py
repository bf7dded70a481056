"""Clients of other trackers, over HTTP and UDP: a request goes out, an outcome comes back."""
