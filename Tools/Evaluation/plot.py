#!/usr/bin/env python3
"""Draws the plots of docs/accuracy.md and writes compact copies of the reports.

    plot.py REPORTS FOLDER

REPORTS has the JSON of `sightline evaluate`: smoothing.json, spoofing-honest.json, spoofing-attacks.json, eta-runs.json
and eta-rides.json. A missing file is skipped. The same reports give the same bytes.
"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
# Fixed ids make the SVG reproducible; text stays text, so that no fonts of this machine are needed.
matplotlib.rcParams.update({"svg.hashsalt": "sightline", "svg.fonttype": "none", "font.size": 9})
from matplotlib import pyplot


def compact(value):
    """Returns a report without curves and with four significant digits."""
    if isinstance(value, dict):
        return {key: compact(item) for key, item in value.items() if key not in ("roc", "delays_seconds")}
    if isinstance(value, list):
        return [compact(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def write(report, path):
    """Writes one line per member, and per element of a list of objects."""

    def text(value):
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n]"
        return json.dumps(value, ensure_ascii=False)

    members = ",\n".join(f"{json.dumps(key)}: {text(value)}" for key, value in report.items())
    path.write_text("{\n" + members + "\n}\n", encoding="utf-8")


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "Tools/Evaluation/plot.py"})
    pyplot.close(figure)


def plot_smoothing(report, path):
    """Draws the RMSE of each recording relative to that of the raw fixes."""
    recordings = [recording for recording in report["recordings"] if recording.get("ratio")]
    bars = []
    for recording in recordings:
        baselines, raw = recording["baseline_rmse_meters"], recording["raw"]["rmse_meters"]
        filters = [baselines[name] / raw for name in ("constantVelocity", "reportedVelocity") if name in baselines]
        others = [recording.get(name) for name in ("ratio", "known_route_ratio", "history_ratio")]
        bars.append([min(filters, default=None), *others])
    names = ["best simple filter", "verdict", "on a known route", "history (later fixes)"]
    figure, axes = pyplot.subplots(figsize=(7, 3))
    for index, name in enumerate(names):
        points = [(row - 0.3 + 0.2 * index, bar[index]) for row, bar in enumerate(bars) if bar[index] is not None]
        if points:
            axes.barh([row for row, _ in points], [ratio for _, ratio in points], height=0.18, label=name)
    axes.axvline(1, color="grey", linewidth=1)
    axes.set_yticks(range(len(recordings)), [recording["name"] for recording in recordings])
    axes.invert_yaxis()
    axes.set_xlabel("RMSE / RMSE of the raw fixes")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.2), ncol=4, frameon=False)
    save(figure, path)


def plot_spoofing(report, path):
    """Draws the ROC curves over the windows of all attack kinds with a detection target."""
    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    least = 1e-4
    for name, member in (("with speed and heading", "with_speed_and_heading"), ("without", "without_either")):
        figures = report["pooled"].get(member)
        if figures:
            rates = [max(least, point["false_positive_rate"]) for point in figures["roc"]]
            hits = [point["true_positive_rate"] for point in figures["roc"]]
            axes.plot(rates, hits, label=f"{name}, area {figures['area']:.3f}")
    baseline = report["pooled"].get("all")
    if baseline:
        rate = max(least, baseline["baseline_false_positive_rate"])
        axes.plot([rate], [baseline["baseline_true_positive_rate"]], "ko", label="literal rules of the case study")
    axes.set(xscale="log", xlim=(least, 1), ylim=(0, 1), xlabel="false positive rate", ylabel="true positive rate")
    axes.legend(loc="lower right", frameon=False)
    save(figure, path)


def plot_arrival(report, path):
    """Draws error and coverage by horizon for the recording with the most arrivals."""
    recording = max(report["recordings"], key=lambda recording: recording["arrivals"])
    buckets = [bucket for bucket in recording["buckets"] if bucket["errors"]["count"] > 0]
    horizons = [bucket["bucket"] for bucket in buckets]
    figure, (errors, coverage) = pyplot.subplots(1, 2, figsize=(8, 3.2))
    methods = (("Sightline", "ours"), ("timetable", "plan"), ("distance / mean speed", "mean_speed"))
    for name, member in methods:
        errors.plot(horizons, [bucket["mean_absolute_seconds"].get(member) for bucket in buckets], "o-", label=name)
    errors.set(xlabel="time to arrival", ylabel="mean absolute error, s", ylim=(0, None))
    errors.legend(frameon=False)
    coverage.axhspan(77, 83, color="0.9", label="target")
    coverage.plot(horizons, [100 * bucket["interval"]["coverage"] for bucket in buckets], "o-", label="Sightline")
    coverage.set(xlabel="time to arrival", ylabel="arrivals within the 80 % interval, %", ylim=(50, 100))
    coverage.legend(frameon=False)
    for axes in (errors, coverage):
        axes.tick_params(axis="x", rotation=30)
    save(figure, path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    reports, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    plots = {
        "smoothing": ("smoothing", plot_smoothing), "spoofing-honest": None,
        "spoofing-attacks": ("spoofing", plot_spoofing), "eta-runs": ("arrival", plot_arrival), "eta-rides": None,
    }
    for name, plot in plots.items():
        path = reports / f"{name}.json"
        if not path.exists():
            continue
        report = json.loads(path.read_text(encoding="utf-8"))
        write(compact(report), folder / f"{name}.json")
        if plot:
            plot[1](report, folder / f"{plot[0]}.svg")


main()
