"""The paper's SEGNN as e3nn's users write it: what bench_couple.c is held against.

    peers_e3nn.py [--device cpu|cuda] [--threads 1] [--batch 128] [--layers 6] [--tf32]

Needs torch and e3nn (pip install e3nn). Six layers of 100x0e+64x1o+16x2e+8x3o, attributes to degree
3, FullyConnectedTensorProduct and Gate, compiled as e3nn does by default; on molecules of 25 atoms
and 88 directed edges. Prints one line of JSON with molecules a second, forward and forward + backward:
the best of several, after the passes that torch.jit takes to make up its mind.
"""
import argparse
import json
import time

import e3nn
import torch
from e3nn import o3
from e3nn.nn import Gate
from torch import nn

HIDDEN = o3.Irreps("100x0e+64x1o+16x2e+8x3o")
ATTRS = o3.Irreps.spherical_harmonics(3)
READOUT = o3.Irreps("512x0e+512x1o")
ATOMS, EDGES, ELEMENTS = 25, 88, 5
WARM_UP, REPEATS = 5, 7


class Product(nn.Module):
    """Tensor product with the attributes, and a bias on the scalars, which come first."""

    def __init__(self, irreps_in, irreps_out):
        super().__init__()
        self.product = o3.FullyConnectedTensorProduct(irreps_in, ATTRS, irreps_out)
        self.scalars = sum(mul for mul, ir in o3.Irreps(irreps_out) if ir.l == 0)
        self.bias = nn.Parameter(torch.zeros(self.scalars))

    def forward(self, x, attr):
        y = self.product(x, attr)
        y[:, : self.scalars] += self.bias
        return y


class Gated(nn.Module):
    """The same, widened by a gate for every channel that is no scalar; SiLU on the scalars."""

    def __init__(self, irreps_in, irreps_out):
        super().__init__()
        scalars = o3.Irreps([(mul, ir) for mul, ir in irreps_out if ir.l == 0])
        gated = o3.Irreps([(mul, ir) for mul, ir in irreps_out if ir.l > 0])
        gates = o3.Irreps([(gated.num_irreps, "0e")])
        self.gate = Gate(scalars, [nn.functional.silu], gates, [torch.sigmoid], gated)
        self.product = Product(irreps_in, self.gate.irreps_in.simplify())

    def forward(self, x, attr):
        return self.gate(self.product(x, attr))


class InstanceNorm(nn.Module):
    """Per molecule: scalars centred; channels divided by their root mean square, and scaled."""

    def __init__(self, irreps):
        super().__init__()
        self.irreps = irreps
        self.scale = nn.Parameter(torch.ones(irreps.num_irreps))
        self.shift = nn.Parameter(torch.zeros(sum(mul for mul, ir in irreps if ir.l == 0)))

    def forward(self, x, molecule, count):
        out, at, channel = [], 0, 0

        def mean(v):
            return v.new_zeros(count, v.shape[1]).index_add_(0, molecule, v) / ATOMS

        for mul, ir in self.irreps:
            field = x[:, at : at + mul * ir.dim].reshape(-1, mul, ir.dim)
            if ir.l == 0:
                field = field - mean(field[:, :, 0])[molecule].unsqueeze(-1)
            square = mean(field.pow(2).mean(-1))
            scale = self.scale[channel : channel + mul] * (square + 1e-5).rsqrt()
            field = field * scale[molecule].unsqueeze(-1)
            if ir.l == 0:
                field = field + self.shift[:, None]
            out.append(field.reshape(-1, mul * ir.dim))
            at += mul * ir.dim
            channel += mul
        return torch.cat(out, dim=1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        message = (HIDDEN + HIDDEN + o3.Irreps("1x0e")).simplify()
        self.message1 = Gated(message, HIDDEN)
        self.message2 = Gated(HIDDEN, HIDDEN)
        self.update1 = Gated((HIDDEN + HIDDEN).simplify(), HIDDEN)
        self.update2 = Product(HIDDEN, HIDDEN)
        self.norm = InstanceNorm(HIDDEN)

    def forward(self, x, g):
        m = torch.cat([x[g.target], x[g.source], g.squared], dim=1)
        m = self.message2(self.message1(m, g.edge_attr), g.edge_attr)
        total = torch.zeros_like(x).index_add_(0, g.target, m)
        u = self.update1(torch.cat([x, total], dim=1), g.node_attr)
        return self.norm(x + self.update2(u, g.node_attr), g.molecule, g.count)


class Segnn(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.embedding = Product(o3.Irreps(f"{ELEMENTS}x0e"), HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.readout = o3.Linear(HIDDEN, READOUT)

    def forward(self, g):
        x = self.embedding(g.element, g.node_attr)
        for layer in self.layers:
            x = layer(x, g)
        y = self.readout(x)
        return y.new_zeros(g.count, y.shape[1]).index_add_(0, g.molecule, y) / ATOMS


class Graph:
    """A batch of molecules: each EDGES / 2 pairs of its atoms, both ways, sorted by target."""

    def __init__(self, batch, device):
        generator = torch.Generator().manual_seed(1)
        xyz = torch.randn(batch * ATOMS, 3, generator=generator)
        pairs = torch.combinations(torch.arange(ATOMS))
        edges = []
        for i in range(batch):
            some = pairs[torch.randperm(len(pairs), generator=generator)[: EDGES // 2]]
            edges.append(torch.cat([some, some.flip(1)]) + i * ATOMS)
        edges = torch.cat(edges)
        edges = edges[torch.argsort(edges[:, 1], stable=True)]
        self.count = batch
        self.source, self.target = edges[:, 0].to(device), edges[:, 1].to(device)
        self.molecule = torch.arange(batch).repeat_interleave(ATOMS).to(device)
        kinds = torch.randint(ELEMENTS, (batch * ATOMS,), generator=generator)
        self.element = nn.functional.one_hot(kinds, ELEMENTS).float().to(device)
        xyz = xyz.to(device)
        along = xyz[self.source] - xyz[self.target]
        self.squared = along.pow(2).sum(1, keepdim=True)
        self.edge_attr = o3.spherical_harmonics(ATTRS, along, normalize=True,
                                                normalization="component")
        total = xyz.new_zeros(len(xyz), ATTRS.dim).index_add_(0, self.target, self.edge_attr)
        number = xyz.new_zeros(len(xyz)).index_add_(0, self.target, xyz.new_ones(len(edges)))
        self.node_attr = total / number.clamp(min=1)[:, None]
        self.node_attr[:, 0] = 1


def seconds(run, device):
    def wait():
        if device == "cuda":
            torch.cuda.synchronize()

    for _ in range(WARM_UP):
        run()
    best = float("inf")
    for _ in range(REPEATS):
        wait()
        start = time.perf_counter()
        run()
        wait()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--tf32", action="store_true", help="let products keep ten bits")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.backends.cuda.matmul.allow_tf32 = args.tf32
    torch.manual_seed(0)
    net, graph = Segnn(args.layers).to(args.device), Graph(args.batch, args.device)

    def forward():
        with torch.no_grad():
            net(graph)

    def step():
        net.zero_grad(set_to_none=True)
        net(graph).pow(2).mean().backward()

    took = seconds(forward, args.device), seconds(step, args.device)
    print(json.dumps({
        "peer": "e3nn", "e3nn": e3nn.__version__, "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if args.device == "cuda" else "cpu",
        "threads": args.threads, "batch": args.batch, "layers": args.layers, "tf32": args.tf32,
        "parameters": sum(p.numel() for p in net.parameters()),
        "forward": round(args.batch / took[0], 2),
        "forward_backward": round(args.batch / took[1], 2)}))


if __name__ == "__main__":
    main()
