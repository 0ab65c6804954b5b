#!/usr/bin/env python3
"""Checks the live map in headless Chromium against a running rider-gateway.

    Tests/Web/map_test.py --gateway http://127.0.0.1:8080 --fleet-token TOKEN [--trip-token TOKEN] [--trip ID]

The gateway needs moving vehicles (sightline simulate). Without --trip, a trip whose vehicle is driving to the pickup is
chosen from GET /fleet. With --restart-command, the command restarts the gateway, and the page must reconnect.
Every option can be set by an environment variable MAP_TEST_GATEWAY, MAP_TEST_FLEET_TOKEN, …. Needs chromium and the
Python package websockets. Exits with 1 if a check fails.
"""

import argparse
import os
import sys
import traceback

import map_trip_checks  # noqa: F401 (registers its checks)
import map_fleet_checks  # noqa: F401 (run last, when spoofing drivers have been detected)
from chromium import Chromium
from map_run import Run, Skip, checks


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def option(name, **settings):
        value = os.environ.get("MAP_TEST_" + name.upper().replace("-", "_"), settings.pop("default", None))
        parser.add_argument(f"--{name}", default=value, **settings)

    option("gateway", default="http://127.0.0.1:8080", help="address of the gateway")
    option("fleet-token", help="a token with the scope fleet")
    option("trip-token", help="a token for the trip (default: the fleet token)")
    option("trip", help="the trip to follow (default: a trip whose vehicle is driving to the pickup)")
    option("screenshots", help="folder for screenshots")
    option("restart-command", help="command that restarts the gateway and returns afterwards")
    option("center", default="48.1374,11.5755", help="center of the simulated town (default: %(default)s)")
    option("only", help="run only checks whose sentence contains this text")
    parsed = parser.parse_args()
    if not parsed.fleet_token:
        parser.error("--fleet-token is missing; create one with: sightline token --scope fleet")
    parsed.gateway = parsed.gateway.rstrip("/")
    parsed.trip_token = parsed.trip_token or parsed.fleet_token
    return parsed


def main():
    chosen = options()
    failed = 0
    with Chromium() as browser:
        run = Run(chosen, browser)
        for sentence, function in checks:
            if chosen.only and chosen.only not in sentence:
                continue
            try:
                function(run)
                print(f"passed   {sentence}", flush=True)
            except Skip as reason:
                print(f"skipped  {sentence}: {reason}", flush=True)
            except (AssertionError, RuntimeError, TimeoutError) as error:
                failed += 1
                print(f"FAILED   {sentence}: {error}", flush=True)
                if not isinstance(error, AssertionError):
                    traceback.print_exc()
                run.shot(f"failed-{function.__name__}")
    print(f"{failed} failed" if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
