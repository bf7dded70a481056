"""Statuses: from what is known of a resource to its conditions, figures and Events. Pure.

A status is written from scratch each time out of the old one and what is known, and sent only when `patch` says so.
"""

from forebay_operator.conditions.announcerstatus import announcer_status
from forebay_operator.conditions.compactionstatus import Progress, compaction_status
from forebay_operator.conditions.condition import Verdict, set_condition
from forebay_operator.conditions.conduitnodestatus import conduitnode_status
from forebay_operator.conditions.events import Event, transitions
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.forwarderstatus import forwarder_status
from forebay_operator.conditions.outfeedstatus import outfeed_status
from forebay_operator.conditions.paused import is_paused, paused_status
from forebay_operator.conditions.peerfeedstatus import peerfeed_status
from forebay_operator.conditions.podtrouble import trouble_of
from forebay_operator.conditions.routerlinkstatus import routerlink_status
from forebay_operator.conditions.routerstatus import router_status
from forebay_operator.conditions.spillstatus import spill_status
from forebay_operator.conditions.statuspatch import status_patch
from forebay_operator.conditions.storequeuestatus import storequeue_status
from forebay_operator.conditions.storestatus import store_status
from forebay_operator.conditions.workload import Workload

__all__ = [
    "Event",
    "Fault",
    "Progress",
    "Verdict",
    "Workload",
    "announcer_status",
    "compaction_status",
    "conduitnode_status",
    "forwarder_status",
    "is_paused",
    "outfeed_status",
    "paused_status",
    "peerfeed_status",
    "router_status",
    "routerlink_status",
    "set_condition",
    "spill_status",
    "status_patch",
    "store_status",
    "storequeue_status",
    "transitions",
    "trouble_of",
]
