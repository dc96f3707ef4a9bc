#!/usr/bin/env python3
"""What Markdown pages say of the project is so: links and anchors lead somewhere, options of commands
exist, files and make's targets that are named are there. TAP on standard output.

    check_pages.py ROOT RECON
"""
import pathlib
import re
import shlex
import subprocess
import sys

root, recon = pathlib.Path(sys.argv[1]), sys.argv[2]
PAGES = sorted(p for folder in ("", "docs", "data", "models", "python", "examples") for p in
               [*(root / folder).glob("*.md"), *((root / folder).glob("*/*.md") if folder in ("data", "docs") else [])])
FOLDERS = "src|include|tests|tools|cli|examples|bench|models|data|python|docs"

# --- a page in pieces -------------------------------------------------------------------------------


def pieces(text):
    """Prose without code, and code: fenced, indented, and between backticks."""
    prose, code, fence = [], [], None
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if fence is None and (opened := re.match(r" *(```+)", line)):
            fence = opened[1]
        elif fence is not None:
            if line.strip() == fence:
                fence = None
            else:
                code.append(line)
        elif re.match(r"( {4}|\t)", line):
            code.append(line)
        else:
            prose.append(line)
    spans = re.findall(r"`([^`]+)`", " ".join(prose))
    return "\n".join(prose), "\n".join(code).replace("\\\n", " "), spans


def slug(heading):
    """What GitHub makes of a heading."""
    plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(page):
    prose, _, _ = pieces(page.read_text())
    return {slug(h) for h in re.findall(r"^#+ (.*)$", prose, re.M)}


# --- what is wrong ------------------------------------------------------------------------------------


def wrong_links(page, prose):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        to = (page.parent / path).resolve() if path else page
        if not to.exists():
            yield f"{target}: no such file"
        elif anchor and anchor not in anchors(to):
            yield f"{target}: no such heading"


helps = {}


def options_of(*command):
    """Of a command; None where there is no such command."""
    ran = subprocess.run([recon, *command, "--help", "all"], capture_output=True, text=True)
    return set(re.findall(r"--[a-z][a-z0-9-]*", ran.stdout)) if ran.returncode == 0 else None


def help_of(words):
    """The options of a command, of an experiment, or of all where none is named; None: there is none."""
    command = (words[1],)
    if words[1] == "reproduce":
        listed = subprocess.run([recon, "reproduce", "--help", "all"], capture_output=True, text=True).stdout
        experiments = re.findall(r"^  ([a-z0-9]+) ", listed.replace("  recon", ""), re.M)
        command += (words[2],) if words[2:3] and words[2] in experiments else ()
        if command not in helps and len(command) == 1:
            helps[command] = set().union(*(options_of("reproduce", e) for e in experiments))
    if command not in helps:
        helps[command] = options_of(*command)
    return helps[command]


def command_lines(code, spans):
    """Lists of words that begin with recon."""
    for line in [*code.splitlines(), *spans]:
        for part in re.split(r"&&|\||;|\$\(", line):
            if re.match(r"\s*(build/(cuda/)?)?recon [a-z]", part):
                lexer = shlex.shlex(part, posix=True, punctuation_chars=False)
                lexer.whitespace_split, lexer.quotes = True, ""
                yield [word.rstrip(".,:)") for word in lexer]


def wrong_commands(code, spans):
    for words in command_lines(code, spans):
        options = help_of(words)
        if options is None:
            yield f"recon {words[1]}: no such command"
            continue
        for option in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", " ".join(words[2:])):
            if option not in options and option != "--help":
                yield f"recon {words[1]} {option}: no such option"


def wrong_options(spans, known):
    for span in spans:
        for option in re.findall(r"^--[a-z][a-z0-9-]*", span):
            if option not in known:
                yield f"{option}: no command has it"


def is_there(name):
    if name.startswith("recon/"):
        name = "include/" + name
    if built := re.match(r"build/(bench|examples)/(\w+)$", name):
        return any(root.glob(f"{built[1]}/{built[2]}.*"))
    return any((root / where / name).exists() or any(root.glob(where + name)) for where in ("", "include/recon/"))


def wrong_files(code, spans):
    named = re.compile(rf"(?<![\w/.:-])((?:{FOLDERS})/[\w./*-]*[\w*]|recon/\w+/\w+\.h|build/(?:bench|examples)/\w+)(?!\w*[=:{{])")
    for text in [*spans, *code.splitlines()]:
        if re.match(r"\s*(cp|ln|mkdir|export|git) ", text):
            continue
        for name in named.findall(text):
            if not re.search(r"/[A-Z]+\b|_[A-Z]+\b", name) and not is_there(name):    # FOLDER/NAME.c stands for any
                yield f"{name}: no such file"


def wrong_targets(code, spans, targets):
    for text in [*spans, *code.splitlines()]:
        for words in re.findall(r"^\s*make((?: +[\w=.,/-]+)*)", text.split("#")[0]):
            for word in words.split():
                if "=" not in word and not word.startswith("-") and word not in targets and "/" not in word:
                    yield f"make {word}: no such target"


# --- all of it ------------------------------------------------------------------------------------------


def main():
    makefile = (root / "Makefile").read_text().replace("\\\n", " ")
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, re.M)) | set(
        " ".join(re.findall(r"^\.PHONY:(.*)$", makefile, re.M)).split())
    listed = subprocess.run([recon, "--help"], capture_output=True, text=True).stdout
    for command in re.findall(r"^ {2,}([a-z]+) {2,}", listed, re.M):
        help_of(["recon", command])
    scripts = [p.read_text(errors="replace") for p in [root / "Makefile", *(root / "tools").iterdir(), *(root / "data").glob("*-conformers"),
                                                       *(root / "examples").glob("*.py")]]
    known = {"--help", "--version"}.union(*(h for h in helps.values() if h),
                                          *(re.findall(r"--[a-z][a-z0-9-]*", s) for s in scripts))
    failed = 0
    for number, page in enumerate(PAGES, 1):
        prose, code, spans = pieces(page.read_text())
        wrong = [*wrong_links(page, prose), *wrong_commands(code, spans)]
        if page.name != "CHANGELOG.md":  # may name what is gone
            wrong += [*wrong_options(spans, known), *wrong_files(code, spans), *wrong_targets(code, spans, targets)]
        print(f"{'not ok' if wrong else 'ok'} {number} - {page.relative_to(root)}")
        for line in dict.fromkeys(wrong):
            print(f"# {line}")
        failed |= bool(wrong)
    print(f"1..{len(PAGES)}")
    return failed


sys.exit(main())
