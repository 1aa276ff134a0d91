"""Waiting for events. Nothing else in the tests sleeps: what a pause is long enough for depends on
the machine."""

import time

# Seconds after which what has not happened never does. It is no measure of speed: no machine is so
# slow that a test which waits for an event gives up before it.
NEVER = 300


def wait_for(event, result):
    """Waits until `result` returns something other than None, and returns it."""
    end = time.monotonic() + NEVER
    while (found := result()) is None:
        assert time.monotonic() < end, f"this has not happened: {event}"
        time.sleep(0.001)
    return found


def wait_until(event, has_happened):
    """Waits until `has_happened` returns true."""
    wait_for(event, lambda: True if has_happened() else None)
