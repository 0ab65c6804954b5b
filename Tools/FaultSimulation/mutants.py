#!/usr/bin/env python3
"""Puts one-line faults into a copy of the source and checks that the fault simulation finds each.

The faults are in Tools/FaultSimulation/mutants.txt. The copy and its build are in .local/mutants. Exit code: 0 if every
mutant was found, 1 if not.

Usage: deploy/test mutants [--seeds N] [NAME …]
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".local" / "mutants"


def read_mutants():
    """Parses the list: (name, file, old text, new text)."""
    text = (ROOT / "Tools/FaultSimulation/mutants.txt").read_text()
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if len(lines) < 3:
            continue
        old = "\n".join(line[1:] for line in lines[2:] if line.startswith("-"))
        new = "\n".join(line[1:] for line in lines[2:] if line.startswith("+"))
        yield lines[0], lines[1], old, new


def make_copy():
    """Copies the committed and changed files, without touching those that are equal."""
    COPY.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    for name in filter(None, names):
        source, target = ROOT / name, COPY / name
        if source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_symlink():
                target.symlink_to(os.readlink(source))
        elif source.is_file():
            content = source.read_bytes()
            if not target.is_file() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)


def build():
    """Builds the simulation; returns the compiler's errors, or nothing."""
    result = subprocess.run(
        ["swift", "build", "--product", "fault-simulation", "--quiet", "--no-color-diagnostics"],
        cwd=COPY, capture_output=True, text=True,
    )
    return result.stdout + result.stderr if result.returncode else ""


def run(seeds):
    """Runs the simulation; returns the exit code and the first failing seed's lines."""
    result = subprocess.run(
        [COPY / ".build/debug/fault-simulation", "--seeds", str(seeds), "--fail-fast", "--no-reduction"],
        cwd=COPY, capture_output=True, text=True,
    )
    return result.returncode, result.stdout.splitlines()


def check(name, path, old, new, seeds):
    """Returns whether the simulation finds the mutant; prints a line about it."""
    file = COPY / path
    original = file.read_text()
    if original.count(old) != 1:
        print(f"{name}: the text occurs {original.count(old)} times in {path}", flush=True)
        return False
    file.write_text(original.replace(old, new))
    began = time.monotonic()
    try:
        if errors := build():
            print(f"{name}: does not compile\n{errors}", flush=True)
            return False
        built = time.monotonic()
        code, lines = run(seeds)
        seconds = time.monotonic() - built
    finally:
        file.write_text(original)
    if code != 1:
        print(f"{name}: NOT FOUND in {seeds} seeds ({seconds:.0f} s, exit code {code})", flush=True)
        return False
    seed = next((line for line in lines if line.startswith("Seed")), "?").split(":")[0].lower()
    print(f"{name}: found by {seed} in {seconds:.0f} s, built in {built - began:.0f} s", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants")
    parser.add_argument("--seeds", type=int, default=1000, help="seeds per mutant (default: 1000)")
    options = parser.parse_args()
    mutants = list(read_mutants())
    if unknown := set(options.names) - {name for name, *_ in mutants}:
        sys.exit(f"mutants: unknown: {', '.join(sorted(unknown))}")
    make_copy()
    print("mutants: building without a mutant", flush=True)
    if errors := build():
        sys.exit(errors)
    code, lines = run(20)
    if code != 0:
        sys.exit("mutants: the simulation fails without a mutant\n" + "\n".join(lines))
    chosen = [mutant for mutant in mutants if not options.names or mutant[0] in options.names]
    missed = [name for name, *rest in chosen if not check(name, *rest, options.seeds)]
    print(f"mutants: {len(chosen) - len(missed)} of {len(chosen)} found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
