"""The Secret of the Valkey that is run for a managed Spill: who makes it, and who refers to it, agree here."""

URL, PASSWORD, VALKEY_CONF = "url", "password", "valkey.conf"
"""Its keys: for clients, for the operator, and for the server itself."""


def valkey_name(spill: str) -> str:
    """The name of that Secret, and of all else that the server of a Spill is run by."""
    return f"{spill}-valkey"
