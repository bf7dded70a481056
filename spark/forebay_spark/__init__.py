"""Spark jobs over spill streams and message stores: compaction, reports and checks."""
