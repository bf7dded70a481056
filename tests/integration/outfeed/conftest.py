"""These tests run on the loop that the services use, unless they start INN."""

import asyncio

import uvloop


def pytest_asyncio_loop_factories(item):
    # A program that uvloop starts inherits the far ends of its own pipes and passes them on; innd, which stays behind
    # when the script that started it ends, would keep them open, and their end is what is waited for.
    if item.get_closest_marker("inn"):
        return {"asyncio": asyncio.new_event_loop}
    return {"uvloop": uvloop.new_event_loop}
