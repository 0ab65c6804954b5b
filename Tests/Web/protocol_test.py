"""Runs the protocol tests of a script, and sends their requests.

A script marks each test by `@test` and ends with `run()`, which prints a line per test and exits with 1 if any fails.
"""

import asyncio
import contextlib
import inspect
import json
import os
import re
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

TESTS = []
DEADLINE_SECONDS = 60
MAX_ERROR_CHARACTERS = 1000


def test(function):
    """Registers a function or coroutine function that raises if the test fails."""
    TESTS.append(function)
    return function


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def fetch(url, method="GET", body=None, token=None, **headers):
    """Sends a request; returns the response's status, headers and JSON. `body`: bytes, or an object sent as JSON."""
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as response:
            return response.status, response.headers, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read() or b"null")


def metric(url, name):
    """Returns a metric of a metrics endpoint, or 0 if the metric is absent."""
    with urllib.request.urlopen(url, timeout=DEADLINE_SECONDS) as response:
        match = re.search(rf"^{re.escape(name)} (\S+)$", response.read().decode(), re.MULTILINE)
    return float(match[1]) if match else 0


@contextlib.contextmanager
def memory_growth_below(limit_bytes, metrics_url):
    """Expects the gateway's resident memory to grow by less than `limit_bytes` while the body runs."""
    before = metric(metrics_url, "process_resident_memory_bytes")
    yield
    growth = metric(metrics_url, "process_resident_memory_bytes") - before
    assert growth < limit_bytes, f"{growth / 1e6} MB"


def wait_until(condition, description):
    """Waits until a function returns true. `description`: the condition, for the error."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < end, f"not within {DEADLINE_SECONDS} s: {description}"
        time.sleep(0.1)


def run(threads=None):
    """Runs all tests in file order. `threads`: maximum of concurrent calls of `asyncio.to_thread`."""
    failures = asyncio.run(_failures(threads))
    # Threads that still wait for a response would keep the process alive.
    os._exit(1 if failures or not TESTS else 0)


async def _failures(threads):
    if threads:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads))
    failures = 0
    for function in TESTS:
        start = time.monotonic()
        try:
            result = function()
            if inspect.isawaitable(result):
                await result
            print(f"ok    {function.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # A failure does not stop the other tests.
            failures += 1
            text = str(error)[:MAX_ERROR_CHARACTERS]
            print(f"FAIL  {function.__name__}: {type(error).__name__}: {text}", flush=True)
    return failures
