#!/usr/bin/env python3
"""What the pages claim, by their text alone: a figure that stands in several places is the same in all, README and the pages
keep to their lengths, and the table of the paper's figures and tables is complete. TAP on standard output.

    check_claims.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# A figure by the places where it stands: page, what the line begins with (behind bars and stars, the first such line
# behind `after`), and which number of the line it is, counted from 0 behind that beginning.
FIGURES = {
    "Fashion-MNIST, no correction": [
        ("README.md", "garments (Fashion-MNIST)", 0), ("README.md", "rotated, no correction", 3),
        ("docs/notebook/results.md", "`none`: rotated inputs, no correction", 2), ("docs/notebook/rivals.md", "`none`", 2),
        ("models/fashion.md", "accuracy on rotated inputs, no correction", 0), ("models/fashion-plain.md", "accuracy on rotated inputs, no correction", 0)],
    "Fashion-MNIST, recon": [
        ("README.md", "garments (Fashion-MNIST)", 1), ("README.md", "`recon` |", 1), ("docs/notebook/results.md", "`recon`: with the pose density", 1),
        ("docs/notebook/rivals.md", "`recon`", 2), ("models/fashion.md", "`recon`: Lambda from the pose density", 0)],
    "Fashion-MNIST, upright": [
        ("README.md", "garments (Fashion-MNIST)", 2), ("README.md", "upright |", 3), ("docs/frozen-models.md", "Fashion-MNIST, `fashion`, p < 0.01", 0),
        ("models/fashion.md", "true rotation undone / never rotated", 1), ("models/fashion-plain.md", "true rotation undone / never rotated", 1)],
    "Fashion-MNIST, trained with rotations": [
        ("README.md", "garments (Fashion-MNIST)", 3), ("docs/notebook/rivals.md", "`augmented`", 2)],
    "Fashion-MNIST, upright and gated": [
        ("docs/frozen-models.md", "Fashion-MNIST, `fashion`, p < 0.01", 2),
        ("models/fashion.md", "never rotated, canonicalized / only where the p-value is below 0.01", 1)],
    "Fashion-MNIST, ieae": [
        ("docs/notebook/results.md", "`ieae`: backbone trained by reconstruction alone", 2), ("models/fashion-plain.md", "`ieae`: this backbone's canonical pose", 1)],
    "Fashion-MNIST, paper_algorithm, shipped": [
        ("docs/notebook/results.md", "`paper_algorithm`: the same backbone", 3), ("docs/notebook/rivals.md", "`paper_algorithm`", 3),
        ("models/fashion-plain.md", "`paper_algorithm`: Algorithm 1 -> Lambda", 0)],
    "Fashion-MNIST, paper_recipe": [
        ("README.md", "`paper_recipe`, the paper's classifier", 3), ("docs/notebook/paper-recipe.md", "a ResNet-18 of full width, 20 epochs of upright images", 3)],
    "Fashion-MNIST, AUROC": [
        ("docs/notebook/results.md", "AUC: likelihood of `recon`", 1), ("models/fashion.md", "unusual poses, AUC", 2)],
    "Fashion-MNIST, equivariance error, 95 %": [
        ("models/fashion.md", "equivariance of psi, median / 95th percentile", 1), ("docs/limits.md", "- **Equivariance on Fashion-MNIST.**", 3),
        ("docs/notebook/results.md", "median / 95th percentile 0.86 / 3.9 degrees on MNIST", 1)],
    "MNIST, no correction": [
        ("README.md", "digits (MNIST, 60,000 images)", 0), ("README.md", "rotated, no correction", 0), ("README.md", "rotated, no correction", 2),
        ("docs/notebook/results.md", "`none`: rotated inputs, no correction", 0), ("docs/notebook/rivals.md", "`none`", 0),
        ("models/mnist.md", "accuracy on rotated inputs, no correction", 0)],
    "MNIST, recon, mean of three seeds": [("README.md", "digits (MNIST, 60,000 images)", 1), ("README.md", "`recon` |", 0)],
    "MNIST, recon, shipped": [
        ("docs/notebook/results.md", "`recon`: with the pose density", 0), ("docs/notebook/rivals.md", "`recon`", 0),
        ("models/mnist.md", "`recon`: Lambda from the pose density", 0)],
    "MNIST, upright": [
        ("README.md", "digits (MNIST, 60,000 images)", 2), ("README.md", "upright |", 0), ("README.md", "upright |", 2),
        ("models/mnist.md", "true rotation undone / never rotated", 1)],
    "MNIST, trained with rotations": [("README.md", "digits (MNIST, 60,000 images)", 3), ("docs/notebook/rivals.md", "`augmented`", 0)],
    "MNIST, paper_algorithm": [
        ("README.md", "`paper_algorithm` |", 1), ("docs/notebook/results.md", "`paper_algorithm`: the same backbone", 1),
        ("docs/notebook/rivals.md", "`paper_algorithm`", 0), ("models/mnist-plain.md", "`paper_algorithm`: Algorithm 1 -> Lambda", 0)],
    "MNIST 12,000, paper_algorithm": [
        ("README.md", "`paper_algorithm` |", 0), ("docs/notebook/results.md", "`paper_algorithm`: the same backbone", 2)],
    "MNIST 12,000, paper_recipe": [
        ("README.md", "`paper_recipe`, the paper's classifier", 0), ("docs/notebook/paper-recipe.md", "mean and standard deviation | 65.95", 1),
        ("models/mnist12k-paper.md", "with a ResNet-18 of full width", 3)],
    "the paper, MNIST": [
        ("README.md", "`paper_recipe`, the paper's classifier", 2), ("docs/notebook/paper-recipe.md", "the paper (accuracy +-0.5)", 2),
        ("docs/notebook/rivals.md", "`paper_algorithm`", 2)],
    "the paper, Fashion-MNIST": [
        ("README.md", "`paper_recipe`, the paper's classifier", 4), ("docs/notebook/rivals.md", "`paper_algorithm`", 5)],
    "words, Tesseract, no correction": [
        ("README.md", "words, Tesseract 5", 0), ("docs/notebook/words.md", "any angle, no correction", 1), ("models/words.md", "any angle, no correction", 1)],
    "words, Tesseract, recon": [("README.md", "words, Tesseract 5", 1), ("docs/notebook/words.md", "recon |", 1), ("models/words.md", "recon |", 1)],
    "words, Tesseract, upright": [
        ("README.md", "words, Tesseract 5", 2), ("docs/notebook/words.md", "upright, no correction", 1), ("models/words.md", "upright, no correction", 1),
        ("docs/frozen-models.md", "words, Tesseract, p < 0.01", 0)],
    "words, Tesseract, upright and gated": [
        ("docs/frozen-models.md", "words, Tesseract, p < 0.01", 2), ("docs/notebook/words.md", "upright, recon, gated", 1), ("models/words.md", "upright, recon, gated", 1)],
    "words, PP-OCRv4, upright": [("docs/frozen-models.md", "words, PP-OCRv4, p < 0.01", 0), ("docs/notebook/words.md", "upright, no correction", 0)],
    "CIFAR-10, no correction": [
        ("README.md", "photographs (CIFAR-10), multiples of 45 degrees", 1), ("docs/notebook/photographs.md", "no correction | 93.29", 0)],
    "CIFAR-10, recon": [
        ("README.md", "photographs (CIFAR-10), multiples of 45 degrees", 2), ("docs/notebook/photographs.md", "pose density, four passes | 90.45", 0)],
    "CIFAR-10, upright": [("README.md", "photographs (CIFAR-10), multiples of 45 degrees", 3), ("docs/notebook/photographs.md", "no correction |", 0),
                          ("docs/frozen-models.md", "CIFAR-10, `photo`, p < 0.03", 0)],
    "CIFAR-10, shipped": [("README.md", "photographs (CIFAR-10), multiples of 45 degrees", 0), ("models/cifar10.md", "pose density, four passes; one", 2)],
    "molecules, no correction": [
        ("README.md", "molecules, the classifier chooses", 0), ("docs/notebook/molecules.md", "accuracy of the frozen classifier on rotated inputs, no correction", 0),
        ("models/conformers.md", "accuracy on rotated inputs, no correction", 0)],
    "molecules, spin by unseen neighbours": [("README.md", "molecules, the classifier chooses", 1), ("docs/notebook/molecules.md", "mean | **95.52", 0)],
    "molecules, upright": [
        ("README.md", "molecules, the classifier chooses", 2), ("docs/notebook/molecules.md", "upright conformers as they are", 1),
        ("models/conformers.md", "true rotation undone / never rotated", 1)],
}
PAPER = """Fig. 1 a, b; Fig. 1 c; Fig. 2; Fig. 3; Fig. 4; Fig. 5 a; Fig. 5 b; Fig. 5 c; Fig. 5 d; Fig. 6 a-c; Fig. 6 d; IE-AE; Frechet and Tukey-Frechet means;
densities recovered on MNIST; error against k; confusion of neighbours; worst neighbours; hit rates; error against attributes; ROC curves;
run time of Algorithm 1; canonicalization overhead; upper bound; equivariant classifiers; EquiAdapt's search; ESCNN's search"""
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]*[a-z])|(?<![\w])\.\d+")
number = 0


def report(wrong, text):
    global number
    number += 1
    print(f"{'not ok' if wrong else 'ok'} {number} - {text}")
    for line in wrong:
        print(f"# {line}")
    return bool(wrong)


def figure(page, begins, which):
    """The number as it is written, without the zero before the point."""
    for line in (root / page).read_text().splitlines():
        at = line.replace("**", "").find(begins.replace("**", ""))
        if at >= 0:
            found = NUMBER.findall(re.sub(r"\]\([^)]*\)", "]", line.replace("**", "")[at + len(begins.replace("**", "")):]))
            if which < len(found):
                return found[which].removeprefix("0")
    return None


def differences(places):
    """Places whose number is not there, or is not what the most exact one is when it is rounded."""
    values = [(place, figure(*place)) for place in places]
    exact = max((v for _, v in values if v), key=lambda v: len(v.partition(".")[2]), default="0")
    for (page, begins, which), value in values:
        if value is None:
            yield f"{page}: no number {which} behind '{begins}'"
        elif abs(float(value) - float(exact)) > 0.5 * 10 ** -len(value.partition(".")[2]) + 1e-9:
            yield f"{page}, '{begins}': {value}, elsewhere {exact}"


def words(page):
    return len(page.read_text().split())


def rows(page, heading):
    text = page.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [[c.strip() for c in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("|")]
    return table[2:]


def wrong_rows(table):
    drawn = "".join(p.read_text() for p in (root / "lab").glob("*.c"))
    for missing in {" ".join(name.split()) for name in PAPER.split(";")} - {row[0].strip("| ") for row in table}:
        yield f"no row '{missing}'"
    for row in table:
        if len(row) != 4:
            yield f"{row[0]}: {len(row)} columns"
            continue
        status, _, why = row[3].strip("| ").partition(":")
        if status not in ("yes", "part", "no") or (status != "yes") != bool(why.strip()):
            yield f"{row[0]}: '{row[3]}' is not yes, part: why, or no: why"
        if status != "no" and "`" not in row[2] and "same" not in row[2]:
            yield f"{row[0]}: no command"
        for svg in re.findall(r"`(?:\w+-)?(\w+)\.svg`", row[2]):
            if f'"{svg}"' not in drawn:
                yield f"{row[0]}: nothing draws {svg}"


def main():
    failed = False
    for name, places in FIGURES.items():
        failed |= report(list(differences(places)), f"in {len(places)} places: {name}")
    readme, pages = root / "README.md", [p for p in (root / "docs").glob("*.md") if p.name not in ("api.md", "cli.md")]
    tables = len(re.findall(r"^\|[ -|]*---", readme.read_text(), re.M))
    total = sum(map(words, pages))
    failed |= report([f"{words(readme)} words, {tables} tables"] if words(readme) > 1100 or tables > 3 else [],
                     "README has at most 1,100 words and 3 tables")
    failed |= report([f"{total} words"] if total > 45000 else [], "the pages beside notebook and references have at most 45,000 words")
    failed |= report(list(wrong_rows(rows(root / "docs/paper.md", "Figures and tables of the paper"))),
                     "every figure and table of the paper has its command and status")
    print(f"1..{number}")
    return failed


sys.exit(main())
