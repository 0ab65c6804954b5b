"""Checks of the live map's view of a trip."""

import json
import subprocess

from map_run import LIVE, PAINTED, Skip, check, expect


@check("the arrival time of a trip changes, and the vehicle's marker moves")
def trip_moves(run):
    run.open_trip()
    seconds = "Number(document.querySelector('.eta').dataset.etaSeconds)"
    before = run.browser.wait(seconds, "there is an arrival time", seconds=75)
    run.browser.wait(f"{seconds} !== {before}", "the arrival time changes")
    item = "document.querySelector('#vehicles li')"
    position = f"[{item}.dataset.latitude, {item}.dataset.longitude, {item}.dataset.x].join()"
    first = run.browser.run(position)
    run.expect_in_town([[float(number) for number in first.split(",")[:2]]])
    run.browser.wait(f"{position} !== {json.dumps(first)}", "the marker moves", seconds=40)
    expect(run.browser.run(f"{PAINTED}({{ x: {item}.dataset.x, y: {item}.dataset.y }})"), "the marker is not painted")
    expect(run.browser.run("document.querySelectorAll('.steps li').length") == 5, "there are not five steps")
    current = run.browser.run("document.querySelectorAll('.steps [aria-current=step]').length")
    expect(current == 1, f"{current} steps are current")
    run.shot("trip-light")


# Records the trip state on the card and the stop of its arrival time, whenever one of them changes.
RECORD_STATES = """(() => {
  window.shown = [];
  const record = () => {
    const stop = document.querySelector('.eta:not([hidden])')?.dataset.stop;
    const now = `${document.querySelector('#trip').dataset.state} ${stop ?? '-'}`;
    if (shown.at(-1) !== now) shown.push(now);
  };
  record();
  new MutationObserver(record).observe(document.querySelector('#trip'), { attributes: true, subtree: true });
})()"""


def watch_trip(run):
    """Opens a trip, waits until it ends, and returns the states and stops that the card has shown."""
    run.open_trip()
    run.browser.run(RECORD_STATES)
    for state in ("ARRIVED", "IN_PROGRESS", "COMPLETED"):
        current = "document.querySelector('#trip').dataset.state"
        run.browser.wait(f"['{state}', 'CANCELLED'].includes({current})", f"the trip is {state}", seconds=180)
        if run.browser.run(current) == "CANCELLED":
            break
        run.shot(f"trip-{state.lower().replace('_', '-')}")
    return run.browser.run("shown")


@check("a trip is shown through pickup and dropoff")
def trip_to_its_end(run):
    shown = watch_trip(run)
    # The simulator cancels up to 6 % of the rides.
    for _ in range(3):
        if shown[-1].startswith("CANCELLED"):
            shown = watch_trip(run)
    states = [entry.split()[0] for entry in shown]
    states = [state for index, state in enumerate(states) if index == 0 or states[index - 1] != state]
    expect(states == ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"], f"the card showed {shown}")
    expect("ACCEPTED pickup" in shown and "IN_PROGRESS dropoff" in shown, f"the card showed {shown}")
    expect(shown.index("ACCEPTED pickup") < shown.index("IN_PROGRESS dropoff"), f"the card showed {shown}")
    expect("IN_PROGRESS pickup" not in shown[shown.index("IN_PROGRESS dropoff"):], f"the card showed {shown}")


@check("the displayed minutes change")
def minutes_change(run):
    run.open_trip(width=390, height=844, ratio=2, scheme="dark")
    text = "document.querySelector('.eta-value').textContent + document.querySelector('.eta-detail').textContent"
    shown = "document.querySelector('.eta:not([hidden])')"
    before = run.browser.wait(f"{shown} && ({text})", "there is an arrival time", seconds=75)
    run.shot("trip-phone-dark")
    run.browser.wait(f"!{shown} || ({text}) !== {json.dumps(before)}", "the text changes", seconds=100)


@check("with reduced motion, the marker is drawn")
def reduced_motion(run):
    run.open_trip(reduced_motion=True)
    expect(run.browser.run("matchMedia('(prefers-reduced-motion: reduce)').matches"), "the preference is not set")
    run.browser.wait("Number(document.querySelector('#vehicles li')?.dataset.x) > 0", "the marker is drawn")


@check("the page survives a restart of the gateway")
def gateway_restart(run):
    if not run.options.restart_command:
        raise Skip("--restart-command is not set")
    run.open_trip()
    run.browser.run("""(() => {
      window.seen = [];
      const pill = document.querySelector('#connection');
      new MutationObserver(() => seen.push(pill.dataset.status)).observe(pill, { attributes: true });
    })()""")
    subprocess.run(run.options.restart_command, shell=True, check=True)
    run.browser.wait("seen.some((status) => status !== 'live')", "the page detects the restart", seconds=90)
    run.browser.wait(LIVE, "the page is live again", seconds=90)
    latitude = "document.querySelector('#vehicles li').dataset.latitude"
    before = run.browser.run(latitude)
    run.browser.wait(f"{latitude} !== '{before}'", "the marker moves again", seconds=60)
