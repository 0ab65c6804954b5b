"""Shared parts of the live map's checks."""

import contextlib
import json
import math
import urllib.error
import urllib.request
from pathlib import Path

ROWS = "[...document.querySelectorAll('#vehicles li[data-driver]')]"
LIVE = "document.querySelector('#connection')?.dataset.status === 'live'"
POSITIONS = f"Object.fromEntries({ROWS}.map((row) => [row.dataset.driver, [row.dataset.x, row.dataset.y]]))"
# Returns whether the overlay canvas has opaque pixels at a marker's position, even if the panel covers it.
PAINTED = """((point) => {
  const canvas = document.querySelector('#overlay');
  const ratio = canvas.width / canvas.clientWidth;
  return canvas.getContext('2d').getImageData(point.x * ratio - 2, point.y * ratio - 2, 4, 4).data
    .some((value, index) => index % 4 === 3 && value > 200);
})"""
TOWN_DEGREES = 0.2  # the maximum radius of the simulated town
# Returns the mean number of frames per second over 4 s.
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
    """Registers a check; `sentence` is printed with its result."""
    def register(function):
        checks.append((sentence, function))
        return function
    return register


class Skip(Exception):
    """The reason why a check was skipped."""


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

    def get(self, path):
        """Requests JSON from the gateway with the fleet token."""
        request = urllib.request.Request(
            self.options.gateway + path, headers={"authorization": f"Bearer {self.options.fleet_token}"})
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)

    def trip(self):
        """Returns the trip of the options, or a trip whose vehicle is still driving to the pickup."""
        if self.options.trip:
            return self.options.trip
        rides = [driver for driver in self.get("/fleet")["drivers"]
                 if (driver["trip_id"] or "").startswith("tr_") and not driver["is_flagged"]]
        for driver in sorted(rides, key=lambda driver: (driver["speed_mps"] or 0) <= 3):
            # The trip may have ended meanwhile.
            with contextlib.suppress(urllib.error.HTTPError):
                if self.get(f"/trips/{driver['trip_id']}")["state"] == "ACCEPTED":
                    return driver["trip_id"]
        raise AssertionError(f"no vehicle of {len(rides)} trips is driving to its pickup")

    def expect_in_town(self, positions):
        """Expects positions to be in the simulated town, with correct signs."""
        center = [float(number) for number in self.options.center.split(",")]
        far = [position for position in positions if math.dist(position, center) > TOWN_DEGREES]
        expect(not far, f"beyond {TOWN_DEGREES} degrees from {self.options.center}: {far}")

    def shot(self, name):
        if self.options.screenshots:
            Path(self.options.screenshots).mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(Path(self.options.screenshots, f"{name}.png"))


def expect(condition, message):
    if not condition:
        raise AssertionError(message)
