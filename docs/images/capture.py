#!/usr/bin/env python3
"""Runs a command on a terminal of a given size and draws what the terminal shows at its end as SVG.

    docs/images/capture.py --columns 80 --rows 46 --save run.txt -- COMMAND…
    docs/images/capture.py --columns 80 --input run.txt --output screen.svg [--until TEXT]

With --until the picture is of the moment when the screen with that text had been drawn. --from-line and --to-line
choose lines of everything that was written. It understands what Sightline writes: colours, cursor up, clearing of a
line, of the screen and of all below.
"""

import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import termios

COLORS = {"90": "#6e7681", "32": "#3fb950", "31": "#ff7b72", "36": "#56d4dd"}
WIDTH, HEIGHT, SIZE = 8.4, 17.0, 14
TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n])", re.S)


class Screen:
    """The lines written so far; each cell is a character and its colours."""

    def __init__(self):
        self.lines, self.row, self.column, self.style = [[]], 0, 0, ""

    def write(self, text):
        for codes, command, control, character in TOKEN.findall(text):
            if command == "m":
                self.style = "" if codes in ("", "0") else codes
            elif command == "A":
                self.row = max(0, self.row - int(codes or 1))
            elif command == "K":
                del self.lines[self.row][self.column :]
            elif command == "J":
                if codes == "2":
                    self.lines, self.row, self.column = [[]], 0, 0
                else:
                    del self.lines[self.row][self.column :]
                    del self.lines[self.row + 1 :]
            elif control == "\r":
                self.column = 0
            elif control == "\n":
                self.row, self.column = self.row + 1, 0
                while len(self.lines) <= self.row:
                    self.lines.append([])
            elif character:
                line = self.lines[self.row]
                line.extend([(" ", "")] * (self.column - len(line)))
                line[self.column : self.column + 1] = [(character, self.style)]
                self.column += 1


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def svg(lines, columns):
    width, height = columns * WIDTH + 24, len(lines) * HEIGHT + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="{SIZE}" fill="#e6edf3">',
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#0d1117"/>',
    ]
    for row, line in enumerate(lines):
        y, column = 12 + row * HEIGHT, 0
        while column < len(line):
            style = line[column][1]
            codes = style.split(";")
            color = next((COLORS[code] for code in codes if code in COLORS), "#e6edf3")
            end = column
            while end < len(line) and line[end][1] == style:
                end += 1
            text = "".join(cell[0] for cell in line[column:end])
            stripped = text.strip()
            if stripped:
                x = 12 + (column + text.index(stripped[0])) * WIDTH
                bold = ' font-weight="bold"' if "1" in codes else ""
                parts.append(
                    f'<text x="{x:.1f}" y="{y + HEIGHT * 0.76:.1f}" textLength="{len(stripped) * WIDTH:.1f}" '
                    f'lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="{color}"{bold}>{escaped(stripped)}</text>'
                )
            column = end
    return "\n".join(parts + ["</svg>", ""])


def run(options):
    """Runs the command; returns everything that it wrote."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(options.command[0], options.command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", options.rows, options.columns, 0, 0))
    data = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # On Linux the end of a terminal's last process is an error.
            break
        if not chunk:
            break
        data += chunk
    os.waitpid(process, 0)
    return data.decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--rows", type=int, default=46)
    parser.add_argument("--output", help="the picture")
    parser.add_argument("--until", help="draw the first screen with this text")
    parser.add_argument("--from-line", help="begin with the last line that begins with this")
    parser.add_argument("--to-line", help="end before the first line after that which begins with this")
    parser.add_argument("--input", help="draw what this file holds instead of running a command")
    parser.add_argument("--save", help="write what the command wrote here as well")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.command = [word for word in options.command if word != "--"] if options.command[:1] == ["--"] else options.command
    if options.input:
        with open(options.input, encoding="utf-8", newline="") as file:
            text = file.read()
    else:
        text = run(options)
    if options.save:
        with open(options.save, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    if not options.output:
        return
    if options.until:
        found = text.find(options.until)
        if found < 0:
            sys.exit(f"'{options.until}' was not shown.")
        end = text.find("\x1b[J", found)
        text = text[: end if end >= 0 else len(text)]
    screen = Screen()
    screen.write(text)
    texts = ["".join(cell[0] for cell in line) for line in screen.lines]
    first = max((i for i, line in enumerate(texts) if options.from_line and line.startswith(options.from_line)), default=0)
    last = next(
        (i for i, line in enumerate(texts) if i > first and options.to_line and line.startswith(options.to_line)),
        len(texts),
    )
    lines = screen.lines[first:last]
    while lines and not "".join(cell[0] for cell in lines[-1]).strip():
        lines.pop()
    if not lines:
        sys.exit("The command has shown nothing.")
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(svg(lines, options.columns))


if __name__ == "__main__":
    main()
