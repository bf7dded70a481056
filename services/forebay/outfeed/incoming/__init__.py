"""The way in: articles parsed and judged, routed, remembered, and served over NNTP."""
