#!/usr/bin/env python3
"""What a tutorial quotes behind a block, indented, is what the block prints: exit code 0, else 1 and what differs.

    compare_quotes.py PAGE LINE full|labels OUTPUT...

LINE is that of the block's fence; exit code 3: there is no quote behind the block. Lines that begin with a label, as
"  verdict    ...", are quoted all and in their order, unless "(Shortened.)" stands behind the quote; others may be left
out. labels: that is all. full: also words are equal, and figures within a tenth, or within three units of the last quoted
digit; times and memory are not compared.
"""
import pathlib
import re
import sys

SHARE, UNITS = 0.1, 3
OPTIONAL = {"seconds", "gain", "warning"}  # may be left out, or are printed where something was learned alone
NUMBER = re.compile(r"(?<![\w.-])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w-]|\.\d)")
TIMES = re.compile(r"[\d.]+(?= (?:s|ms|MiB)\b)|(?<=which )[\d.]+(?= for the model)|^ *seconds .*")


def quote_behind(lines, fence):
    """The indented lines behind the block whose fence is that line, counted from 1; whether they are shortened."""
    at = next(i for i in range(fence, len(lines)) if lines[i].startswith("```")) + 1
    quote = []
    while at < len(lines) and (not lines[at] or lines[at].startswith("    ")):
        quote.append(lines[at][4:])
        at += 1
    return [line for line in quote if line.strip()], at < len(lines) and lines[at] == "(Shortened.)"


def words(line):
    return NUMBER.sub("#", TIMES.sub("", line)).split()


def figures(line):
    return NUMBER.findall(TIMES.sub("", line))


def is_near(quoted, printed):
    unit = 10.0 ** -len(quoted.partition(".")[2]) if "e" not in quoted else 0
    return abs(float(quoted) - float(printed)) <= max(SHARE * abs(float(quoted)), UNITS * unit) * (1 + 1e-9)


def label(line):
    found = re.match(r" {2}(\S+(?: \S+)?)(?: {2,}|$)", line)
    return found and found[1]


def labels(lines):
    """Those of one label are one: a short training leaves inputs for more reasons."""
    found = [label(line) for line in lines if label(line) and label(line) not in OPTIONAL]
    return [one for i, one in enumerate(found) if i == 0 or one != found[i - 1]]


def differences(quote, shortened, output, full):
    if labels(quote) and not shortened and labels(quote) != labels(output):
        yield "quoted:  " + ", ".join(labels(quote))
        yield "printed: " + ", ".join(labels(output))
    at = 0
    for line in quote if full else []:
        found = next((i for i in range(at, len(output)) if words(output[i]) == words(line)), None)
        if found is None:
            yield f"not printed, or not here: {line}"
            continue
        at = found + 1
        if not all(map(is_near, figures(line), figures(output[found]))):
            yield f"quoted:  {line}"
            yield f"printed: {output[found]}"


def main():
    page, fence, mode, *outputs = sys.argv[1:]
    output = [line for name in outputs for line in pathlib.Path(name).read_text().splitlines()]
    quote, shortened = quote_behind(pathlib.Path(page).read_text().splitlines(), int(fence))
    wrong = list(differences(quote, shortened, output, mode == "full"))
    print("\n".join(wrong), file=sys.stderr)
    if not quote:
        return 3
    return bool(wrong)


sys.exit(main())
