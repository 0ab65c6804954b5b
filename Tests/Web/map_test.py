#!/usr/bin/env python3
"""Checks the live map in headless Chromium against a running rider-gateway.

    Tests/Web/map_test.py --gateway http://127.0.0.1:8080 --fleet-token TOKEN [--trip-token TOKEN] [--trip ID]

The gateway needs vehicles that move (sightline simulate). Without --trip, a trip that is under way is taken from
GET /fleet. With --restart-command, the page also has to survive that command, which restarts the gateway. Every option
may be given as an environment variable MAP_TEST_GATEWAY, MAP_TEST_FLEET_TOKEN, …. Needs chromium and the Python
package websockets. Exits with 1 if a check fails.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import traceback
import urllib.request
from pathlib import Path

from chromium import Chromium

ROWS = "[...document.querySelectorAll('#vehicles li[data-driver]')]"
LIVE = "document.querySelector('#connection')?.dataset.status === 'live'"
POSITIONS = f"Object.fromEntries({ROWS}.map((row) => [row.dataset.driver, [row.dataset.x, row.dataset.y]]))"
# Whether the overlay shows something at a marker's place; the panel may hide it, but the canvas is under it.
PAINTED = """((point) => {
  const canvas = document.querySelector('#overlay');
  const ratio = canvas.width / canvas.clientWidth;
  return canvas.getContext('2d').getImageData(point.x * ratio - 2, point.y * ratio - 2, 4, 4).data
    .some((value, index) => index % 4 === 3 && value > 200);
})"""
FRAMES = """new Promise((done) => {
  const begin = performance.now();
  let frames = 0;
  (function frame(now) {
    frames += 1;
    if (now - begin < 4000) requestAnimationFrame(frame); else done(frames / 4);
  })(begin);
})"""

checks = []


def check(sentence):
    """Registers a check under the sentence that it proves."""
    def register(function):
        checks.append((sentence, function))
        return function
    return register


class Skip(Exception):
    """Why a check could not be made."""


class Run:
    def __init__(self, options, browser):
        self.options = options
        self.browser = browser

    def open_fleet(self, **screen):
        self.browser.open(f"{self.options.gateway}/map#token={self.options.fleet_token}", **screen)
        self.browser.wait(LIVE, "the fleet view is live")
        self.browser.wait(f"{ROWS}.length > 0", "the list has vehicles")

    def open_trip(self, **screen):
        link = f"{self.options.gateway}/map#token={self.options.trip_token}&trip={self.trip()}"
        self.browser.open(link, **screen)
        self.browser.wait(LIVE, "the trip view is live")
        self.browser.wait("document.querySelector('#trip')?.dataset.state", "the card shows a state")

    def trip(self):
        """The trip asked for, or one under way whose driver was heard just now."""
        if self.options.trip:
            return self.options.trip
        request = urllib.request.Request(
            f"{self.options.gateway}/fleet", headers={"authorization": f"Bearer {self.options.fleet_token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            drivers = json.load(answer)["drivers"]
        under_way = [driver for driver in drivers if driver["trip_state"] in ("ACCEPTED", "IN_PROGRESS")]
        if not under_way:
            raise Skip("no driver is on a trip")
        return max(under_way, key=lambda driver: (driver["speed_mps"] or 0) > 3)["trip_id"]

    def shot(self, name):
        if self.options.screenshots:
            Path(self.options.screenshots).mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(Path(self.options.screenshots, f"{name}.png"))


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


@check("the fleet view lists vehicles, and their markers are painted and move")
def fleet_moves(run):
    run.open_fleet()
    before = run.browser.wait(
        f"(() => {{ const all = {POSITIONS}; return Object.values(all).every(([x]) => x) && all; }})()",
        "markers are drawn")
    run.browser.run(f"window.before = {json.dumps(before)}")
    moved = f"Object.entries({POSITIONS}).filter(([id, [x, y]]) => " \
        "before[id] && Math.hypot(x - before[id][0], y - before[id][1]) > 0.5).length"
    run.browser.wait(f"{moved} > 0", "a marker moves", seconds=30)
    inside = f"{ROWS}.filter((row) => row.dataset.x > 20 && row.dataset.x < innerWidth - 20 " \
        "&& row.dataset.y > 20 && row.dataset.y < innerHeight - 20)"
    painted = f"{inside}.some((row) => {PAINTED}({{ x: row.dataset.x, y: row.dataset.y }}))"
    run.browser.wait(painted, "a marker is painted")
    run.shot("fleet-light")


@check("the suspect filter leaves the suspects, by list and by count")
def suspects(run):
    run.open_fleet()
    count = "['suspect', 'flagged'].reduce((sum, mark) => " \
        "sum + Number(document.querySelector(`[data-count=${mark}]`).textContent), 0)"
    if not run.browser.run(count):
        raise Skip("no driver is suspect; let the simulation run longer, or with more cheats")
    everything = run.browser.run(f"{ROWS}.length")
    run.browser.run("document.querySelector('[data-filter=isSuspect]').click()")
    run.browser.wait(f"{ROWS}.length === {count}", "the list has as many rows as are counted")
    expect(run.browser.run(f"{ROWS}.every((row) => ['suspect', 'flagged'].includes(row.dataset.mark))"),
           "a row is neither suspect nor flagged")
    run.shot("fleet-suspects")
    run.browser.run("document.querySelector('[data-filter=isSuspect]').click()")
    run.browser.wait(f"{ROWS}.length >= {everything} * 0.9", "all rows are back")


@check("the text filter finds a driver")
def text_filter(run):
    run.open_fleet()
    driver = run.browser.run(f"{ROWS}.at(-1).dataset.driver")
    run.browser.run("document.querySelector('[data-filter=text]').focus()")
    run.browser.type(driver)
    found = f"{ROWS}.length < 20 && {ROWS}.some((row) => row.dataset.driver === '{driver}')"
    run.browser.wait(found, "the driver is listed")


@check("with keys alone a driver is opened, has a trail and is left again")
def driver_by_keys(run):
    run.open_fleet()
    run.browser.run(f"{ROWS}[0].querySelector('button').focus()")
    run.browser.press("ArrowDown")
    driver = run.browser.run("document.activeElement.closest('li').dataset.driver")
    expect(driver == run.browser.run(f"{ROWS}[1].dataset.driver"), "the arrow key did not go to the second row")
    run.browser.press("Enter")
    run.browser.wait(f"document.querySelector('#detail')?.dataset.driver === '{driver}'", "the detail is open")
    run.browser.wait("Number(document.querySelector('#detail').dataset.points) > 0", "the trail is there")
    expect(run.browser.run("document.activeElement.closest('#detail') !== null"), "the focus is not in the detail")
    time.sleep(1)  # for the picture: the map flies there
    run.shot("driver-light")
    run.browser.press("Escape")
    focused = "document.activeElement.closest('li')?.dataset.driver"
    run.browser.wait(f"{focused} === '{driver}'", "the focus is back in the list")


@check("a click on a marker opens its driver")
def driver_by_click(run):
    run.open_fleet()
    beside = f"{ROWS}.find((row) => row.dataset.x > 420 && row.dataset.x < innerWidth - 80 " \
        "&& row.dataset.y > 40 && row.dataset.y < innerHeight - 40)"
    point = run.browser.wait(
        f"((row) => row && [row.dataset.x, row.dataset.y])({beside})", "a marker is beside the panel")
    run.browser.click(float(point[0]), float(point[1]))
    run.browser.wait("document.querySelector('#detail') !== null", "the detail is open")


@check("keys move and zoom the map")
def map_keys(run):
    run.open_fleet()
    run.browser.wait("document.querySelector('#scale span').textContent", "there is a scale")
    scale = "document.querySelector('#scale span').textContent + document.querySelector('#scale').style.width"
    before = run.browser.run(scale)
    run.browser.run("document.querySelector('#map').focus()")
    run.browser.press("+")
    run.browser.wait(f"({scale}) !== {json.dumps(before)}", "plus zooms")
    still = f"{ROWS}.find((row) => row.dataset.x)"
    before = run.browser.wait(f"{still} && [{still}.dataset.driver, {still}.dataset.x]", "a marker is drawn")
    for _ in range(3):
        run.browser.press("ArrowLeft")
    moved = f"{ROWS}.find((row) => row.dataset.driver === '{before[0]}').dataset.x - {before[1]} > 150"
    run.browser.wait(moved, "the arrow key moves the map")


@check("dark colours follow the system, and the button changes them")
def dark(run):
    run.open_fleet(scheme="dark")
    background = "getComputedStyle(document.querySelector('#panel')).backgroundColor"
    theme = "document.documentElement.dataset.theme"
    expect(run.browser.run(theme) == "dark", "the theme is not dark")
    dark_panel = run.browser.run(background)
    run.shot("fleet-dark")
    run.browser.run("document.querySelector('[data-action=theme]').click()")
    expect(run.browser.run(theme) == "light", "the button did not change the theme")
    expect(run.browser.run(background) != dark_panel, "the panel did not change its colour")
    run.browser.run("localStorage.clear()")


@check("on a phone the panel is a sheet that can be lowered, and nothing is wider than the screen")
def phone(run):
    run.open_fleet(width=390, height=844, ratio=2)
    box = run.browser.run("(({ left, width, bottom }) => [left, width, bottom])"
                          "(document.querySelector('#panel').getBoundingClientRect())")
    expect(box == [0, 390, 844], f"the panel is at {box}")
    expect(run.browser.run("document.documentElement.scrollWidth") <= 390, "the page is wider than the screen")
    run.shot("fleet-phone")
    high = run.browser.run("document.querySelector('#panel').offsetHeight")
    run.browser.run("document.querySelector('#handle').click()")
    expect(run.browser.run("document.querySelector('#panel').offsetHeight") < high, "the sheet is not lower")
    expect(run.browser.run("document.querySelector('#handle').ariaExpanded") == "false", "the handle does not say so")


@check("the map keeps up with its vehicles")
def frames(run):
    run.open_fleet()
    vehicles = run.browser.run(f"{ROWS}.length")
    rate = run.browser.run(FRAMES)
    print(f"    {rate:.0f} frames/s with {vehicles} vehicles, drawn by the processor")
    expect(rate >= run.options.least_frames, f"under {run.options.least_frames} frames/s")


@check("a trip's card counts its arrival time down, and its marker moves")
def trip_moves(run):
    run.open_trip()
    seconds = "Number(document.querySelector('.eta').dataset.etaSeconds)"
    before = run.browser.wait(seconds, "there is an arrival time", seconds=75)
    run.browser.wait(f"{seconds} !== {before}", "the arrival time changes")
    item = "document.querySelector('#vehicles li')"
    place = f"[{item}.dataset.latitude, {item}.dataset.longitude, {item}.dataset.x].join()"
    first = run.browser.run(place)
    run.browser.wait(f"{place} !== {json.dumps(first)}", "the marker moves", seconds=40)
    expect(run.browser.run(f"{PAINTED}({{ x: {item}.dataset.x, y: {item}.dataset.y }})"), "the marker is not painted")
    expect(run.browser.run("document.querySelectorAll('.steps li').length") == 5, "there are not five steps")
    expect(run.browser.run("document.querySelectorAll('.steps [aria-current=step]').length") == 1, "no step is present")
    run.shot("trip-light")


@check("the minutes that a rider reads change")
def minutes_change(run):
    run.open_trip(width=390, height=844, ratio=2, scheme="dark")
    text = "document.querySelector('.eta-value').textContent + document.querySelector('.eta-detail').textContent"
    shown = "document.querySelector('.eta:not([hidden])')"
    before = run.browser.wait(f"{shown} && ({text})", "there is an arrival time", seconds=75)
    run.shot("trip-phone-dark")
    run.browser.wait(f"!{shown} || ({text}) !== {json.dumps(before)}", "the text changes", seconds=100)


@check("with reduced motion everything is shown, and steps instead of gliding")
def reduced_motion(run):
    run.open_trip(reduced=True)
    expect(run.browser.run("matchMedia('(prefers-reduced-motion: reduce)').matches"), "the preference is not set")


@check("a link without a token, or with a bad one, says what to do")
def bad_links(run):
    for fragment, code in (("", "TOKEN_MISSING"), ("#token=forged", "TOKEN_INVALID")):
        run.browser.open(f"{run.options.gateway}/map{fragment}")
        run.browser.wait(f"document.querySelector('[data-problem={code}] h1')?.textContent", f"the page tells {code}")
    run.shot("bad-link")


@check("the page asks only the gateway, and nothing fails or is refused by its security policy")
def own_requests(run):
    run.open_fleet()
    run.browser.run(FRAMES)
    hosts = (run.options.gateway + "/", run.options.gateway.replace("http", "ws", 1) + "/", "data:", "blob:")
    foreign = [url for url in run.browser.requests if not url.startswith(hosts)]
    expect(not foreign, f"requests to others: {foreign}")
    expect(not run.browser.problems, f"errors in the page: {run.browser.problems}")


@check("every control has a name, and the connection is a status")
def accessible(run):
    run.open_fleet()
    nodes = run.browser.call("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
             if not node.get("ignored") and "role" in node]
    controls = ("button", "searchbox", "textbox", "meter")
    nameless = [role for role, name in named if role in controls and not name.strip()]
    expect(not nameless, f"without a name: {nameless}")
    roles = {role for role, _ in named}
    expect({"status", "list", "heading", "application", "search"} <= roles, f"roles are missing from {sorted(roles)}")


@check("the page survives a restart of the gateway")
def restart(run):
    if not run.options.restart_command:
        raise Skip("no --restart-command is given")
    run.open_trip()
    run.browser.run("""(() => {
      window.seen = [];
      const pill = document.querySelector('#connection');
      new MutationObserver(() => seen.push(pill.dataset.status)).observe(pill, { attributes: true });
    })()""")
    subprocess.run(run.options.restart_command, shell=True, check=True)
    run.browser.wait("seen.some((status) => status !== 'live')", "the page notices", seconds=90)
    run.browser.wait(LIVE, "the page is live again", seconds=90)
    latitude = "document.querySelector('#vehicles li').dataset.latitude"
    before = run.browser.run(latitude)
    run.browser.wait(f"{latitude} !== '{before}'", "the marker moves again", seconds=60)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def option(name, **settings):
        value = os.environ.get("MAP_TEST_" + name.upper().replace("-", "_"), settings.pop("default", None))
        parser.add_argument(f"--{name}", default=value, **settings)

    option("gateway", default="http://127.0.0.1:8080", help="address of the gateway")
    option("fleet-token", help="a token with the scope fleet")
    option("trip-token", help="a token for the trip; by default the fleet's")
    option("trip", help="the trip to follow; by default one that is under way")
    option("screenshots", help="folder for screenshots")
    option("restart-command", help="restarts the gateway, and returns when that is done")
    option("least-frames", type=float, default=10,
           help="frames per second that are enough, drawn by the processor beside everything else")
    option("only", help="checks whose sentence contains this")
    parsed = parser.parse_args()
    if not parsed.fleet_token:
        parser.error("--fleet-token is missing; make one with the gateway's secret and the scope fleet")
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
