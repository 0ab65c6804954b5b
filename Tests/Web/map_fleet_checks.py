"""Checks of the live map's view of the fleet, and of features of all views."""

import json
import time

from map_run import FRAMES, PAINTED, POSITIONS, ROWS, Skip, check, expect


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


@check("the text filter finds a driver")
def text_filter(run):
    run.open_fleet()
    driver = run.browser.run(f"{ROWS}.at(-1).dataset.driver")
    run.browser.run("document.querySelector('[data-filter=text]').focus()")
    run.browser.type(driver)
    is_listed = f"{ROWS}.length < 20 && {ROWS}.some((row) => row.dataset.driver === '{driver}')"
    run.browser.wait(is_listed, "the driver is listed")


@check("a driver can be opened, inspected and closed by keyboard")
def driver_by_keys(run):
    run.open_fleet()
    run.browser.run(f"{ROWS}[0].querySelector('button').focus()")
    run.browser.press("ArrowDown")
    driver = run.browser.run("document.activeElement.closest('li').dataset.driver")
    expect(driver == run.browser.run(f"{ROWS}[1].dataset.driver"), "the arrow key did not go to the second row")
    run.browser.press("Enter")
    run.browser.wait(f"document.querySelector('#detail')?.dataset.driver === '{driver}'", "the detail is open")
    run.browser.wait("Number(document.querySelector('#detail').dataset.points) > 0", "the trail is loaded")
    expect(run.browser.run("document.activeElement.closest('#detail') !== null"), "the focus is not in the detail")
    time.sleep(1)  # the screenshot shows the map after its animation
    run.shot("driver-light")
    run.browser.press("Escape")
    focused = "document.activeElement.closest('li')?.dataset.driver"
    run.browser.wait(f"{focused} === '{driver}'", "the focus is back in the list")


@check("a click on a marker opens its driver")
def driver_by_click(run):
    run.open_fleet()
    outside = f"{ROWS}.find((row) => row.dataset.x > 420 && row.dataset.x < innerWidth - 80 " \
        "&& row.dataset.y > 40 && row.dataset.y < innerHeight - 40)"
    point = run.browser.wait(
        f"((row) => row && [row.dataset.x, row.dataset.y])({outside})", "a marker is outside the panel")
    run.browser.click(float(point[0]), float(point[1]))
    run.browser.wait("document.querySelector('#detail') !== null", "the detail is open")


@check("keys move and zoom the map")
def map_keys(run):
    run.open_fleet()
    run.browser.wait("document.querySelector('#scale span').textContent", "the scale is shown")
    run.browser.run("document.querySelector('#map').focus()")
    before = settled_positions(run)
    for _ in range(3):
        run.browser.press("ArrowLeft")
    run.browser.wait(f"{median_shift(before)} > 150", "the arrow keys move the map")
    scale = "document.querySelector('#scale span').textContent + document.querySelector('#scale').style.width"
    before = run.browser.run(scale)
    run.browser.press("+")
    run.browser.wait(f"({scale}) !== {json.dumps(before)}", "plus zooms")


def settled_positions(run):
    """Waits until the map stops moving, and returns the markers' positions."""
    for _ in range(20):
        before = run.browser.run(POSITIONS)
        time.sleep(1.5)  # the list is updated once a second
        shift = run.browser.run(median_shift(before))  # None if no marker is left
        if shift is not None and abs(shift) < 10:
            return before
    raise AssertionError("the map kept moving for 30 s")


def median_shift(before):
    """Returns a JavaScript expression for the markers' median shift to the right in pixels."""
    return f"""((before, now) => {{
        const all = Object.keys(before).map((driver) => now[driver]?.[0] - before[driver][0]);
        const shifts = all.filter(Number.isFinite);
        return shifts.sort((a, b) => a - b)[shifts.length >> 1] ?? Infinity;
    }})({json.dumps(before)}, {POSITIONS})"""


@check("dark colours follow the system, and the button changes them")
def dark_colors(run):
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
def phone_layout(run):
    run.open_fleet(width=390, height=844, ratio=2)
    box = run.browser.run("(({ left, width, bottom }) => [left, width, bottom])"
                          "(document.querySelector('#panel').getBoundingClientRect())")
    expect(box == [0, 390, 844], f"the panel is at {box}")
    expect(run.browser.run("document.documentElement.scrollWidth") <= 390, "the page is wider than the screen")
    run.shot("fleet-phone")
    high = run.browser.run("document.querySelector('#panel').offsetHeight")
    run.browser.run("document.querySelector('#handle').click()")
    expect(run.browser.run("document.querySelector('#panel').offsetHeight") < high, "the sheet is not lower")
    expect(run.browser.run("document.querySelector('#handle').ariaExpanded") == "false", "aria-expanded is not false")


@check("vehicles have correct positions, and most are on the screen")
def vehicle_positions(run):
    run.open_fleet()
    drivers = run.get("/fleet")["drivers"]
    positions = [(driver["lat"], driver["lon"]) for driver in drivers if not driver["is_suspect"]]
    shown = run.browser.run(f"{ROWS}.filter((row) => !['suspect', 'flagged'].includes(row.dataset.mark))"
                            ".map((row) => [Number(row.dataset.latitude), Number(row.dataset.longitude)])")
    expect(positions and shown, f"{len(positions)} drivers, {len(shown)} in the page")
    run.expect_in_town(positions + shown)
    run.browser.wait(f"{ROWS}.filter((row) => row.dataset.x > 0 && row.dataset.x < innerWidth && row.dataset.y > 0 "
                     f"&& row.dataset.y < innerHeight).length > {len(shown)} / 2", "most vehicles are on the screen")


@check("the map draws frames while its vehicles move")
def frame_rate(run):
    run.open_fleet()
    vehicles = run.browser.run(f"{ROWS}.length")
    rate = run.browser.run(FRAMES)
    print(f"    {rate:.0f} frames/s with {vehicles} vehicles, rendered in software")
    expect(rate > 0, "no frame in four seconds")


@check("a link with a missing or invalid token shows the problem")
def bad_links(run):
    for fragment, code in (("", "TOKEN_MISSING"), ("#token=forged", "TOKEN_INVALID")):
        run.browser.open(f"{run.options.gateway}/map{fragment}")
        run.browser.wait(f"document.querySelector('[data-problem={code}] h1')?.textContent", f"the page shows {code}")
    run.shot("bad-link")


@check("the page sends requests to the gateway only, without errors or policy violations")
def requests_and_errors(run):
    run.open_fleet()
    run.browser.run(FRAMES)
    hosts = (run.options.gateway + "/", run.options.gateway.replace("http", "ws", 1) + "/", "data:", "blob:")
    foreign = [url for url in run.browser.requests if not url.startswith(hosts)]
    expect(not foreign, f"requests to other hosts: {foreign}")
    expect(not run.browser.problems, f"errors in the page: {run.browser.problems}")


@check("every control has an accessible name, and the page has the expected roles")
def accessible_names(run):
    run.open_fleet()
    nodes = run.browser.call("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
             if not node.get("ignored") and "role" in node]
    controls = ("button", "searchbox", "textbox", "meter")
    nameless = [role for role, name in named if role in controls and not name.strip()]
    expect(not nameless, f"controls without a name: {nameless}")
    roles = {role for role, _ in named}
    expect({"status", "list", "heading", "application", "search"} <= roles, f"roles are missing from {sorted(roles)}")


@check("the suspect filter shows suspect and flagged drivers only")
def suspect_filter(run):
    run.open_fleet()
    count = "['suspect', 'flagged'].reduce((sum, mark) => " \
        "sum + Number(document.querySelector(`[data-count=${mark}]`).textContent), 0)"
    if not run.browser.run(count):
        raise Skip("no driver is suspect; run the simulation longer or with more spoofing drivers")
    everything = run.browser.run(f"{ROWS}.length")
    run.browser.run("document.querySelector('[data-filter=isSuspect]').click()")
    run.browser.wait(f"{ROWS}.length === {count}", "the number of rows matches the counts")
    expect(run.browser.run(f"{ROWS}.every((row) => ['suspect', 'flagged'].includes(row.dataset.mark))"),
           "a row is neither suspect nor flagged")
    run.shot("fleet-suspects")
    run.browser.run("document.querySelector('[data-filter=isSuspect]').click()")
    run.browser.wait(f"{ROWS}.length >= {everything} * 0.9", "all rows are listed again")
