"""Lets a test module choose its event loop: it names a maker of loops `new_event_loop`."""

import asyncio


def pytest_asyncio_loop_factories(item):
    return {"loop": getattr(item.module, "new_event_loop", asyncio.new_event_loop)}
