"""A bridge between nodes of conduit and programs with zenoh 1.x: samples go over both ways, under names that map.

It needs the extra `zenoh`. It is a node among the others, and a session of zenoh: neither network goes through it.
"""

from forebay.client.bridge.bridge import Bridge
from forebay.client.bridge.errors import BridgeError, BridgeSettingError
from forebay.client.bridge.settings import BridgeSettings, ZenohSettings

__all__ = ["Bridge", "BridgeError", "BridgeSettingError", "BridgeSettings", "ZenohSettings"]
