"""What can go wrong with a bridge, beside the errors of a node.

ForebayError
└── BridgeError
    └── BridgeSettingError      a setting that no bridge can be made with
"""

from __future__ import annotations

from forebay.runtime import ForebayError


class BridgeError(ForebayError):
    """Base of the errors of this package."""


class BridgeSettingError(BridgeError):
    """A setting that no bridge can be made with; the message names it, and what to take."""
