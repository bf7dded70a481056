"""URIs of resources and patterns of them: which are valid, which match, and an index of many."""

from forebay.conduit.core.uri.index import UriIndex
from forebay.conduit.core.uri.pattern import matches
from forebay.conduit.core.uri.syntax import MAX_URI, canonical, check_uri, fault_of, is_pattern

__all__ = ["MAX_URI", "UriIndex", "canonical", "check_uri", "fault_of", "is_pattern", "matches"]
