"""With PyTorch and a GPU: analyze, measure, named and rank on a ResNet, a U-Net and a GPT block, in
eval and train, fp16, channels last and autocast. Prints what was expected and what was measured:
PYTHONPATH=... python3 tests/python/with_torch.py"""

import os
import sys
import tempfile

import torch
from torch import nn

import roofline


def conv(inputs, outputs, kernel=3, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride=1):
        super().__init__()
        self.conv1 = conv(inputs, width, 1)
        self.conv2 = conv(width, width, 3, stride)
        self.conv3 = nn.Sequential(nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != 4 * width:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
            )

    def forward(self, x):
        return self.relu(self.conv3(self.conv2(self.conv1(x))) + self.shortcut(x))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1))
        stages, inputs = [], 64
        for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(blocks):
                stages.append(Bottleneck(inputs, width, stride if i == 0 else 1))
                inputs = 4 * width
        self.blocks = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        return self.fc(self.pool(self.blocks(self.stem(x))).flatten(1))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        widths = (64, 128, 256, 512)
        self.down = nn.ModuleList(
            nn.Sequential(conv(a, b), conv(b, b)) for a, b in zip((3, *widths[:-1]), widths)
        )
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.merge = nn.ModuleList(nn.Sequential(conv(2 * a, a), conv(a, a)) for a in widths[:-1])
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(64, 2, 1)

    def forward(self, x):
        kept = []
        for i, down in enumerate(self.down):
            x = down(x if i == 0 else self.pool(x))
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([self.up[i](x), kept[i]], 1))
        return self.head(x)


class GptBlock(nn.Module):
    def __init__(self, width=2048, heads=16):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.act, self.down = nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, c // self.heads).unbind(2)
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.down(self.act(self.up(self.ln2(x))))


IMAGES = (32, 3, 224, 224)
CASES = (
    ("ResNet-50, eval, fp16, channels last", ResNet50, IMAGES, True, False, "half"),
    ("ResNet-50, train, amp, channels last", ResNet50, IMAGES, True, True, "amp"),
    ("ResNet-50, eval, fp32", ResNet50, IMAGES, False, False, "fp32"),
    ("U-Net, eval, fp16, channels last", UNet, (4, 3, 512, 512), True, False, "half"),
    ("GPT block, eval, fp16", GptBlock, (8, 1024, 2048), False, False, "half"),
    ("GPT block, train, fp16", GptBlock, (8, 1024, 2048), False, True, "half"),
)


def built(network, size, channels_last, train, how):
    torch.manual_seed(0)
    model = network().cuda().train(train)
    x = torch.randn(size, device="cuda")
    if how == "half":
        model, x = model.half(), x.half()
    if channels_last:
        model = model.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    return model, x


def one(name, network, size, channels_last, train, how):
    model, x = built(network, size, channels_last, train, how)
    with torch.autocast("cuda", enabled=how == "amp"):
        a = roofline.analyze(model, x)
        m = roofline.measure(model, x)
    busy = m.to_dict()["results"][0]["recording"]["busy_s"] * 1e3
    kernels = sum(layer.expected_ms or 0 for layer in m)
    low, high = a.range_ms
    print(f"\n== {name}")
    print(str(a).splitlines()[0])
    print(
        f"step {m.step_ms:.3f} ms, analyze {a.expected_ms:.3f} ms ({low:.3g} to {high:.3g}); "
        f"GPU busy {busy:.3f} ms, kernels expected {kernels:.3f} ms: x{busy / kernels:.2f}"
    )
    print(m.table(8))
    known = {name for name, _ in model.named_modules()}
    found = {each.split(" ")[0] for each, _, _ in m.modules()}
    print(f"{len([each for each in found if each in known])} of {len(found)} rows are modules")
    return f"| {name} | {m.step_ms:.3f} ms | {a.expected_ms:.3f} ms ({low:.3g} to {high:.3g}) | {busy:.3f} ms | {kernels:.3f} ms |"


class Refused(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        y = self.inner(x)
        if y.sum() > 0:
            return y
        return -y


def others():
    print("\n== other calls")
    print(roofline.gpu(), "\nsource:", roofline.gpu().source[0]["title"])
    model, x = built(ResNet50, IMAGES, True, False, "half")
    print(roofline.rank(model, x, gpus="t4,a100,h100,h200", batch="best"))
    b = roofline.analyze(model, input_size=IMAGES, gpu="a100")
    print(roofline.compare(b, roofline.analyze(model, input_size=IMAGES, gpu="h100")))
    with roofline.named(model), torch.profiler.profile(record_shapes=True) as profiler, torch.no_grad():
        model(x)
        torch.cuda.synchronize()
    print("named:", [layer.name for layer in roofline.analyze(profiler)][:6])
    try:
        roofline.analyze(Refused(), torch.randn(2, 4), gpu="h100")
    except roofline.RooflineError as error:
        print("refused:", error)


def main():
    failed = 0
    rows = []
    for case in CASES:
        try:
            rows.append(one(*case))
        except Exception as error:  # the others still run
            failed += 1
            print(f"FAILED {case[0]}: {type(error).__name__}: {error}")
    try:
        others()
    except Exception as error:
        failed += 1
        print(f"FAILED: {type(error).__name__}: {error}")
    print("\n".join(rows))
    left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("roofline-")]
    print(f"torch {torch.__version__}; files left: {left}; {len(rows)} passed, {failed} failed")
    return 1 if failed or left else 0


if __name__ == "__main__":
    sys.exit(main())
