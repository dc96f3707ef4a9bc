#!/usr/bin/python3
"""Writes fisher_vectors.h: log c(s) and its gradient by another route than the library's.

The library integrates a product of Bessel functions. Here the constant is Bingham's on the
quaternions, as an inverse Laplace transform,

    c = (1 / 2 pi i) int e^t prod_i (t - lambda_i)^(-1/2) dt,

lambda = the eigenvalues of the quadratic form tr(S^T R(q)), taken along a parabola around the
branch points by the trapezoidal rule with 40 digits; halving its step must change nothing.

    tests/group/make_fisher_vectors.py > tests/group/fisher_vectors.h     (python3-mpmath)
"""
import itertools

from mpmath import mp, mpc, mpf, exp, log, pi, sqrt

mp.dps = 40


def transform(delta, step):
    """The integral over exp(-top), and the same with 1/(t + delta_i) as a factor."""
    sums = [mpf(0)] * 5
    n = int(mpf(10) / step)
    for k in range(n + 1):  # the other half of the parabola is the complex conjugate
        z = mpc(1, k * step)
        t = 2 * z * z
        f = exp(t) * z * 4
        for d in delta:
            f /= sqrt(t + d)
        weight = mpf(1) / 2 if k == 0 else 1
        sums[0] += weight * f.real
        for i, d in enumerate(delta):
            sums[1 + i] += weight * (f / (t + d)).real
    return [s * step / pi for s in sums]


def constant(s, step):
    s1, s2, s3 = map(mpf, s)
    form = [s1 + s2 + s3, s1 - s2 - s3, -s1 + s2 - s3, -s1 - s2 + s3]
    top = max(form)
    c, *parts = transform([top - x for x in form], step)
    a = [p / c / 2 for p in parts]  # the mean of each squared component
    mean = [a[0] + a[1] - a[2] - a[3], a[0] - a[1] + a[2] - a[3], a[0] - a[1] - a[2] + a[3]]
    return [top + log(c)] + mean


def grid():
    sizes = ["0", "0.001", "0.4", "3", "40", "700", "10000"]
    for a, b, c in itertools.combinations_with_replacement(reversed(sizes), 3):
        yield a, b, c
        if c != "0":
            yield a, b, "-" + c
    yield from [("1", ".5", ".25"), ("5", "3", "1"), ("20", "10", "-5"), ("100", ".001", ".001"),
                ("100", "50", "20"), ("10000", "9999", "-9998"), ("15.9", "16.1", "-15.8")]


rows = []
for s in grid():
    got, finer = constant(s, mpf(1) / 24), constant(s, mpf(1) / 48)
    assert max(abs(x - y) for x, y in zip(got, finer)) < mpf(10) ** -20, s
    rows.append(s + tuple(mp.nstr(x, 18) for x in finer))

print("/* fisher_vectors.h - s, log c(s), d log c / ds. Written by make_fisher_vectors.py; do not edit. */")
print("#ifndef TESTS_STATS_FISHER_VECTORS_H\n#define TESTS_STATS_FISHER_VECTORS_H\n")
print("/* clang-format off */")
print(f"enum {{ FISHER_VECTORS = {len(rows)} }};")
print("static const double fisher_vector[FISHER_VECTORS][7] = {")
for row in rows:
    print("    { " + ", ".join(row) + " },")
print("};\n#endif")
