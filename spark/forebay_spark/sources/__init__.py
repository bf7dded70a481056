"""Data sources by the Python Data Source API."""
