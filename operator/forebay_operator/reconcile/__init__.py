"""Reconciling: what the resources want is compared with what there is, and brought about."""

from forebay_operator.reconcile.reconciler import Reconciler
from forebay_operator.reconcile.world import World, make_world

__all__ = ["Reconciler", "World", "make_world"]
