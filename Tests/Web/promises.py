"""The promises of a script: functions whose names are sentences, run one after the other.

A script marks each by `@promise` and ends with `run()`, which prints a line for each and ends the process: with 1 if a
promise is broken. What a script's name is followed by on the command line is the script's own.
"""

import asyncio
import inspect
import os
import time
from concurrent.futures import ThreadPoolExecutor

PROMISES = []
MOST_ERROR_CHARACTERS = 1000


def promise(function):
    """Marks what `run` runs: a function, or a coroutine function, that raises where it does not hold."""
    PROMISES.append(function)
    return function


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def run(threads=None):
    """Runs all promises in the order of the file. `threads`: how many calls of `asyncio.to_thread` run at once."""
    failures = asyncio.run(_failures(threads))
    # Threads that still wait for an answer would hold the process.
    os._exit(1 if failures or not PROMISES else 0)


async def _failures(threads):
    if threads:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads))
    failures = 0
    for kept in PROMISES:
        began = time.monotonic()
        try:
            result = kept()
            if inspect.isawaitable(result):
                await result
            print(f"ok    {kept.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception as error:  # Each promise is judged for itself.
            failures += 1
            text = str(error)[:MOST_ERROR_CHARACTERS]
            print(f"FAIL  {kept.__name__}: {type(error).__name__}: {text}", flush=True)
    return failures
