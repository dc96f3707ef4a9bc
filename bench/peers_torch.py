"""The stacks of bench_ops.c in PyTorch: the same convolutions, the same step, the same lines.

    peers_torch.py THREADS [BATCH [fp32|bf16]]     lines of "name seconds gflops"
"""
import sys
import time

import torch
from torch import nn

STACKS = {  # input size, channels, layers (out, kernel); kernel 0 is average-pool 2
    "conv96x4": (24, 96, [(96, 5)] * 4),
    "encoder": (28, 1, [(128, 7), (128, 5), (2, 0), (224, 5), (224, 5), (2, 0), (224, 5), (224, 3), (130, 1)]),
}
REPEATS = 5


def build(size, channels, layers):
    modules, flops, first, weights = [], 0, 0, channels
    for i, (out, kernel) in enumerate(layers):
        if kernel == 0:
            modules.append(nn.AvgPool2d(2))
            size //= 2
            continue
        modules.append(nn.Conv2d(weights, out, kernel, padding=kernel // 2))
        flops += 2 * size * size * out * weights * kernel * kernel
        first = first or flops
        weights = out
        if i + 1 < len(layers):
            modules.append(nn.ReLU(inplace=True))
    return nn.Sequential(*modules), flops, 3 * flops - first  # nobody needs the input's gradient


def measure(name, batch, half, channels_last):
    size, channels, layers = STACKS[name]
    net, flops, step = build(size, channels, layers)
    x = torch.rand(batch, channels, size, size)
    if channels_last:
        net = net.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    adam = torch.optim.Adam(net.parameters(), lr=1e-4)
    cast = torch.autocast("cpu", dtype=torch.bfloat16, enabled=half)

    def train():
        adam.zero_grad(set_to_none=True)
        with cast:
            y = net(x)
        y.float().square().mean().backward()
        adam.step()

    def forward():
        with torch.no_grad(), cast:
            net(x)

    best = {}
    train()
    for _ in range(REPEATS):
        for what in (train, forward):
            begin = time.perf_counter()
            what()
            best[what] = min(best.get(what, 1e9), time.perf_counter() - begin)
    return best[train], best[forward], 1e-9 * step * batch, 1e-9 * flops * batch


def main():
    torch.set_num_threads(int(sys.argv[1]))
    batch = int(sys.argv[2]) if len(sys.argv) > 2 else 128
    kinds = sys.argv[3:] or ["fp32", "bf16"]
    for name in STACKS:
        for kind in kinds:
            # PyTorch at its best: whichever of its two layouts is faster
            runs = [measure(name, batch, kind == "bf16", last) for last in (False, True)]
            train, forward = (min(r[i] for r in runs) for i in (0, 1))
            step, flops = runs[0][2:]
            print(f"{name}/{kind}/train {train:.5f} {step / train:.1f}", flush=True)
            print(f"{name}/{kind}/forward {forward:.5f} {flops / forward:.1f}", flush=True)


main()
