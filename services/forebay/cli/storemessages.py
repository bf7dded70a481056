"""Messages of a store as people and programs see them."""

import base64
from datetime import UTC, datetime
from typing import Any

from forebay.cli.plainmessage import short_name
from forebay.pb.store.v1 import store_pb2 as pb

SHOWN = 60
"""Characters of a body in a table."""
COLUMNS = (">position", "address", "taken", ">priority", ">deliveries", ">octets", "body")
_REASON = pb.Death.DESCRIPTOR.fields_by_name["reason"]


def plain_delivery(delivery: pb.Delivery) -> dict[str, Any]:
    """A delivery and its message, for JSON: a body that is no UTF-8 is in base64, under a name of its own."""
    message = delivery.message
    return {
        "position": delivery.position,
        "deliveries": delivery.deliveries,
        "address": message.address,
        **_plain_body(message.body),
        "headers": dict(message.headers),
        "ttl": message.ttl_ms / 1000 if message.HasField("ttl_ms") else None,
        "priority": message.priority,
        "transient": message.transient,
        "taken": time_of(message.taken_ms),
        "deaths": [_plain_death(death) for death in message.deaths],
        "publisher": message.publisher,
        "number": message.number,
    }


def _plain_body(body: bytes) -> dict[str, str]:
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}


def _plain_death(death: pb.Death) -> dict[str, Any]:
    return {
        "queue": death.queue,
        "reason": short_name(_REASON, death.reason),
        "count": death.count,
        "first": time_of(death.first_ms),
        "last": time_of(death.last_ms),
        "address": death.address,
        "original_ttl": death.original_ttl_ms / 1000 if death.HasField("original_ttl_ms") else None,
    }


def delivery_row(delivery: pb.Delivery) -> tuple[object, ...]:
    """A delivery as a row of a table with `COLUMNS`."""
    message = delivery.message
    return (
        delivery.position,
        message.address,
        time_of(message.taken_ms),
        message.priority,
        delivery.deliveries,
        len(message.body),
        shown(message.body),
    )


def shown(body: bytes) -> str:
    """The beginning of a body as one line of text; what cannot be printed is escaped."""
    text = body[: 4 * SHOWN].decode(errors="backslashreplace")
    text = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
    return text if len(text) <= SHOWN and len(body) <= 4 * SHOWN else f"{text[: SHOWN - 1]}…"


def time_of(milliseconds: int) -> str:
    """A time in UTC; empty for none."""
    if not milliseconds:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
