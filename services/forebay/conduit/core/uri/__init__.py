"""URIs of resources and patterns of them: which are valid, which match, and an index of many."""
