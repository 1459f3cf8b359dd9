# SPDX-License-Identifier: MIT
"""The pictures of the pages: each shows arrays that a kernel got and made, in a run on the device.

A function takes the Studio and returns figures; the first one is also on the card of the kernel.
"""
import math

import draw
import scene


class Studio:
    """Runs kernels and keeps the images of a page in `folder`."""

    def __init__(self, program, folder, kernel):
        self.program, self.folder, self.kernel = program, folder, kernel
        self.images = 0

    def apply(self, arrays, results=1, kernel=None):
        """The results of this kernel, or of another one."""
        return self.program.apply(kernel or self.kernel, arrays, results)

    def image(self, width, height, pixels, label):
        """Writes an image with values from 0 to 1; returns the HTML that shows it."""
        self.images += 1
        name = f"{self.kernel}_{self.images}.png"
        scaled = [tuple(255 * c for c in p) if isinstance(p, (tuple, list)) else 255 * p for p in pixels]
        draw.png(self.folder / name, width, height, scaled)
        return (f'<div class="image"><img src="{name}" width="{width}" height="{height}" alt="{label}">'
                f"<span>{label}</span></div>")


def images(*parts):
    """Images beside each other, as many as fit."""
    return '<div class="images">' + "".join(parts) + "</div>"


def figure(caption, html, card=""):
    """A picture and what it shows; `card`: what the card shows in its place."""
    return {"caption": caption, "html": html, "card": card or html}


def grey_image(width, height):
    """A grey scene with noise, from 0 to 1."""
    return [min(1, max(0, grey + 0.35 * (scene.noise(i, 7) - 0.5)))
            for i, grey in enumerate(scene.greys(width, height))]


def blur(studio):
    """Before, after one and after eight blurs; the weights, from the blur of a single element."""
    width, height = 132, 88
    steps = [grey_image(width, height)]
    for _ in range(8):
        steps.append(studio.apply([("f32", (height, width), steps[-1])]))
    before = studio.image(width, height, steps[0], "the input, with noise")
    after = studio.image(width, height, steps[1], "blurred once")
    often = studio.image(width, height, steps[8], "blurred eight times")
    side = 7
    single = [float(i == side * side // 2) for i in range(side * side)]
    weights = studio.apply([("f32", (side, side), single)])
    cells = []
    for i, weight in enumerate(weights):
        x, y = 30 + 48 * (i % side), 1 + 30 * (i // side)
        cells.append(draw.rectangle(x, y, 48, 30, "cell", draw.heat(weight * 256 / 36) if weight else ""))
        cells.append(draw.text(x + 24, y + 20, draw.number(weight * 256), "on" if weight else "small", "middle"))
    loads, cell = [], 10.8
    for i in range(36 * 12):
        loads.append(draw.rectangle(6 + cell * (i % 36), 2 + cell * (i // 36), cell, cell, "cell",
                                    draw.hue(i % 256 // 32 / 8)))
    loads.append(draw.rectangle(6 + 2 * cell, 2 + 2 * cell, 32 * cell, 8 * cell, "outline"))
    return [
        figure("The kernel applied once and eight times. It takes away the noise and keeps the shapes.",
               images(before, after, often), images(before, after)),
        figure("The kernel applied to zeros with a single 1 in the middle, times 256: the weights.",
               draw.svg(400, 212, cells, "seven rows of seven numbers")),
        figure("Which subgroup of 32 threads loads which element of the halo, one colour for each; 176 of the 256 "
               "threads load two. The frame is the tile that the workgroup computes.",
               draw.svg(400, 134, loads, "a grid of 36 by 12 cells with a frame around 32 by 8")),
    ]


FILTERS = {
    "as it is": (0, 0, 0, 0, 1, 0, 0, 0, 0),
    "mean": (1 / 9,) * 9,
    "sharper": (0, -1, 0, -1, 5, -1, 0, -1, 0),
    "vertical edges": (-1, 0, 1, -2, 0, 2, -1, 0, 1),
    "horizontal edges": (-1, -2, -1, 0, 0, 0, 1, 2, 1),
    "all edges": (-1, -1, -1, -1, 8, -1, -1, -1, -1),
    "relief": (-2, -1, 0, -1, 0, 1, 0, 1, 2),
}


def convolution(studio):
    """Seven filters of one image, as the seven channels of the result."""
    width, height = 120, 80
    pixels = scene.colours(width, height)
    weights = [tap * share for taps in FILTERS.values() for tap in taps for share in (0.3, 0.59, 0.11)]
    result = studio.apply([("f32", (1, height, width, 3), [c for pixel in pixels for c in pixel]),
                           ("f32", (7, 3, 3, 3), weights)])
    parts = [studio.image(width, height, pixels, "the input, 3 channels")]
    for k, (name, taps) in enumerate(FILTERS.items()):
        middle = 0.5 if abs(sum(taps)) < 1e-6 else 0  # of filters whose result may be negative
        scale = 1 - middle if middle else 1
        parts.append(studio.image(width, height, [middle + scale * result[i] for i in range(k, len(result), 7)],
                                  name))
    return [figure("An image of 3 channels, and the 7 channels of the result, each made by its own filter. Where a "
                   "filter can give negative numbers, grey is 0.", images(*parts),
                   images(parts[0], parts[4], parts[3], parts[7]))]


def depthwise(studio):
    """Red moves to the left, blue to the right, green is blurred."""
    width, height = 120, 80
    pixels = scene.colours(width, height)
    filters = [(0, 0, 0, 0, 0, 1, 0, 0, 0), tuple(w / 16 for w in (1, 2, 1, 2, 4, 2, 1, 2, 1)),
               (0, 0, 0, 1, 0, 0, 0, 0, 0)]
    weights = [filters[c][tap] for tap in range(9) for c in range(3)]
    values = [c for pixel in pixels for c in pixel]
    parts = [studio.image(width, height, pixels, "the input")]
    for step in range(1, 7):
        values = studio.apply([("f16", (height, width, 3), values), ("f16", (3, 3, 3), weights)])
        if step in (1, 3, 6):
            shown = [tuple(values[i:i + 3]) for i in range(0, len(values), 3)]
            parts.append(studio.image(width, height, shown, f"applied {step} time{'s' if step > 1 else ''}"))
    return [figure("Each channel has its own filter: red moves to the left, green is blurred, blue moves to the right. "
                   "What moves in over an edge is 0: elements outside count as 0.", images(*parts),
                   images(parts[0], parts[3]))]


def equalise(studio):
    """A dark image and its levels, before and after."""
    width, height = 132, 88
    dark = [round(40 + 50 * grey) for grey in scene.greys(width, height)]
    bright = studio.apply([("u8", (height, width), dark)])
    parts = [studio.image(width, height, [v / 255 for v in values], label)
             for values, label in ((dark, "the input"), (bright, "equalised"))]
    drawn = []
    for y, values, label in ((100, dark, "the input"), (230, bright, "equalised")):
        counts = [0] * 256
        for value in values:
            counts[value] += 1
        drawn += draw.bars(counts, 8, y, 384, 80)
        drawn += draw.axis(8, y, 384, "level 0", "level 255")
        total, curve = 0, []
        for level, count in enumerate(counts):
            total += count
            curve.append((8 + 1.5 * level, y - 80 * total / len(values)))
        drawn += [draw.line(curve, "curve"), draw.text(8, y - 86, label, "small")]
    return [figure("A picture with few levels, and the same picture afterwards.", images(*parts)),
            figure("How often each level occurs, and in orange the share of the pixels up to each level: afterwards, "
                   "it rises evenly.", draw.svg(400, 250, drawn, "two histograms"))]


def histogram(studio):
    """Sums of dice, as the kernel has counted them."""
    values = [sum(int(16 * scene.noise(i, die)) for die in range(4)) for i in range(20000)]
    counts = studio.apply([("u32", (len(values),), values), ("u32", (64,), [0] * 64)])
    drawn = draw.bars(counts, 8, 170, 384, 150) + draw.axis(8, 170, 384, "bin 0", "bin 63")
    most = max(counts)
    drawn.append(draw.text(392, 14, f"highest bar: {most} of {sum(counts)}", "small", "end"))
    return [figure("What the kernel counts in 20,000 numbers, each the sum of four numbers from 0 to 15. The bars are "
                   "the array that it returned.", draw.svg(400, 190, drawn, "a histogram with the shape of a bell"))]


def csr(studio):
    """A sparse matrix, the vector and the product."""
    rows = 56
    starts, columns = [0], []
    for row in range(rows):
        wanted = {(row + int(24 * (scene.noise(row, i) ** 2 - 0.3))) % rows for i in range(40)}
        columns += sorted(sorted(wanted, key=lambda c, r=row: scene.noise(r, c, 3))[:row % 7])
        starts.append(len(columns))
    factors = [2 * scene.noise(i, 5) - 1 for i in range(len(columns))]
    x = [math.sin(i / 5) for i in range(rows)]
    y = studio.apply([("f32", (rows,), x), ("u32", (rows + 1,), starts), ("u32", (len(columns),), columns),
                      ("f32", (len(columns),), factors)])

    def sign(value):
        return "plus" if value >= 0 else "minus"

    cell, left, top = 5.8, 8, 44
    drawn = [draw.rectangle(left, top, rows * cell, rows * cell, "frame"), draw.text(left, 12, "x", "small"),
             draw.text(left + rows * cell + 12, top - 4, "y = A x", "small")]
    for i, value in enumerate(x):
        drawn.append(draw.rectangle(left + i * cell, 28 - max(0, 12 * value), cell * 0.85, 12 * abs(value),
                                    sign(value)))
    largest = max(abs(value) for value in y)
    for row in range(rows):
        length = 22 * y[row] / largest
        drawn.append(draw.rectangle(left + rows * cell + 36 + min(0, length), top + row * cell, abs(length),
                                    cell * 0.85, sign(y[row])))
        for i in range(starts[row], starts[row + 1]):
            drawn.append(draw.dot(left + (columns[i] + 0.5) * cell, top + (row + 0.5) * cell,
                                  0.9 + 2.1 * math.sqrt(abs(factors[i])), sign(factors[i])))
    return [figure("A matrix of 56 rows with 0 to 6 numbers each, the vector x above it, and the product that the "
                   "kernel computed beside it. Blue is positive, orange negative.",
                   draw.svg(400, 376, drawn, "a sparse matrix with dots, and bars above and beside it"))]
