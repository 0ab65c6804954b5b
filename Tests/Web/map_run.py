"""What the checks of the live map have in common."""

import contextlib
import json
import math
import urllib.error
import urllib.request
from pathlib import Path

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
TOWN_DEGREES = 0.2  # how far the simulated town reaches from its middle, at the most
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

    def ask(self, path):
        """The JSON that the gateway answers to an operator."""
        request = urllib.request.Request(
            self.options.gateway + path, headers={"authorization": f"Bearer {self.options.fleet_token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def trip(self):
        """The trip asked for, or one whose vehicle drives to the pickup, so that most of the trip is ahead."""
        if self.options.trip:
            return self.options.trip
        rides = [driver for driver in self.ask("/fleet")["drivers"]
                 if (driver["trip_id"] or "").startswith("tr_") and not driver["is_flagged"]]
        for driver in sorted(rides, key=lambda driver: (driver["speed_mps"] or 0) <= 3):
            # A trip may have ended since.
            with contextlib.suppress(urllib.error.HTTPError):
                if self.ask(f"/trips/{driver['trip_id']}")["state"] == "ACCEPTED":
                    return driver["trip_id"]
        raise AssertionError(f"none of {len(rides)} rides is on the way to its pickup")

    def expect_in_town(self, places):
        """Expects latitudes and longitudes to be those of the simulated town, with their signs."""
        center = [float(number) for number in self.options.center.split(",")]
        far = [place for place in places if math.dist(place, center) > TOWN_DEGREES]
        expect(not far, f"beyond {TOWN_DEGREES} degrees from {self.options.center}: {far}")

    def shot(self, name):
        if self.options.screenshots:
            Path(self.options.screenshots).mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(Path(self.options.screenshots, f"{name}.png"))


def expect(condition, message):
    if not condition:
        raise AssertionError(message)
