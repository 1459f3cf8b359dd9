# SPDX-License-Identifier: MIT
"""The pictures of the kernels whose data are not images; see pictures.py."""
import math

import draw
import scene
from pictures import figure


def radix_step(studio):
    """Where each key goes; keys before and after all eight steps."""
    count = 40
    keys = [int(16 * scene.noise(i, 11)) for i in range(count)]
    _, places = studio.apply([("u32", (count,), keys), ("u32", (count,), list(range(count)))], results=2)
    width, drawn = 384 / count, [draw.text(8, 12, "keys, in their first order", "small"),
                                 draw.text(8, 214, "in the order of their digits, equal ones as before", "small")]
    for to, before in enumerate(places):
        colour = draw.hue(keys[before] / 16)
        drawn.append(draw.line([(8 + (before + 0.5) * width, 36), (8 + (before + 0.5) * width, 44),
                                (8 + (to + 0.5) * width, 172), (8 + (to + 0.5) * width, 180)], "wire", colour))
    for order, y in ((range(count), 18), (places, 180)):
        for place, i in enumerate(order):
            drawn.append(draw.rectangle(8 + place * width, y, width - 1, 18, "", draw.hue(keys[i] / 16)))
            drawn.append(draw.text(8 + (place + 0.45) * width, y + 13, f"{keys[i]:x}", "on mono", "middle"))
    many = 600
    values = [int(scene.noise(i, 13) * 2**32) for i in range(many)]
    after, _ = studio.apply([("u32", (many,), values), ("u32", (many,), list(range(many)))], results=2,
                            kernel="radix_sort")
    dots = []
    for left, shown, label in ((8, values, "before"), (208, after, "after eight steps")):
        dots += [draw.rectangle(left, 20, 184, 150, "frame"), draw.text(left, 14, label, "small")]
        dots += [draw.dot(left + 2 + 180 * i / many, 168 - 146 * value / 2**32, 1.3, "mark")
                 for i, value in enumerate(shown)]
    return [figure("One step, with keys of one hexadecimal digit: each line joins the place of a key before and after "
                   "it. Lines of one colour never cross, because equal digits keep their order.",
                   draw.svg(400, 222, drawn, "two rows of coloured keys, joined by lines")),
            figure("600 random keys of 32 bits, and the result of all eight steps (<code>models/radix_sort</code>, a "
                   "plan of 24 kernels): place to the right, key upwards.",
                   draw.svg(400, 176, dots, "a cloud of dots, and a rising line of dots"))]


def ragged(studio):
    """The weights of the tokens, as the kernel has used them: values that are 1 in one place show them."""
    sequences, heads, places, width = 14, 2, 75, 64
    lengths = [1, 64, 33, 8, 50, 17, 62, 25, 40, 32, 5, 57, 46, 12]
    q, keys, values = [], [], []
    for sequence in range(sequences):
        for head in range(heads):
            turn = 0.35 * sequence + head
            q += [3.2 * (math.cos(turn) if d % 2 == 0 else math.sin(turn)) if d < 16 else 0 for d in range(width)]
        for token in range(places):
            angle = 0.22 * token
            keys += [math.cos(angle) if d % 2 == 0 else math.sin(angle) for d in range(width)]
            values += [float(d == token) for d in range(width)]
    y = studio.apply([("f32", (sequences, heads, width), q), ("f32", (sequences, places, 1, width), keys),
                      ("f32", (sequences, places, 1, width), values), ("u32", (sequences,), lengths)])
    cell, row_height, left, top = 5.2, 14, 58, 22
    drawn = [draw.text(left, 12, "token 0", "small"), draw.text(left + width * cell, 12, "token 63", "small", "end")]
    for sequence, length in enumerate(lengths):
        at = sequence * heads * width
        largest = max(y[at:at + width])
        drawn.append(draw.text(left - 5, top + row_height * (sequence + 0.75), f"{length} keys", "small", "end"))
        for token in range(length):
            drawn.append(draw.rectangle(left + token * cell, top + sequence * row_height, cell, row_height - 2, "",
                                        draw.heat(y[at + token] / largest)))
    drawn.append(draw.line([(left + 32 * cell, top - 4), (left + 32 * cell, top + row_height * sequences)], "axis"))
    return [figure("The weights that the kernel gave to the tokens of 14 sequences, dark for large ones. A row ends "
                   "where its sequence does. The line is the end of the first block of 32 keys: only workgroups with "
                   "longer sequences go on to the second one.",
                   draw.svg(400, top + row_height * sequences + 4, drawn,
                            "rows of different lengths, with dark waves"))]


def scan(studio):
    """Steps of a random walk, and the walk."""
    count = 1100
    steps = [2 * scene.noise(i, 17) - 1 for i in range(count)]
    walk = studio.apply([("f32", (count,), steps)])
    low, high = min(walk), max(walk)

    def x(i):
        return 8 + 384 * i / count

    drawn = []
    for block in range(0, count, 256):
        last = min(block + 256, count)
        drawn.append(draw.rectangle(x(block), 18, x(last) - x(block), 200, "band0" if block // 256 % 2 else "band1"))
        drawn.append(draw.text((x(block) + x(last)) / 2, 232, f"block {block // 256}" if last - block > 128 else "",
                               "small", "middle"))
    drawn += [draw.text(8, 12, "x", "small"), draw.text(12, 84, "y = its prefix sums", "small")]
    drawn.append(draw.line([(x(i), 45 - 22 * step) for i, step in enumerate(steps)], "thin"))
    drawn.append(draw.line([(x(i), 212 - 118 * (value - low) / (high - low)) for i, value in enumerate(walk)], "curve"))
    return [figure("1,100 random numbers, and their prefix sums as the kernels computed them. A workgroup sums a block "
                   "of 256; the second kernel sums the blocks, and the third adds both.",
                   draw.svg(400, 238, drawn, "a noisy line and a line that wanders"))]


def sort(studio):
    """A row before and after, and the network for 16 numbers."""
    count = 128
    row = [scene.noise(i, 19) for i in range(count)]
    result = studio.apply([("f32", (1, count), row)])[:count]
    drawn = []
    for y, values, label in ((86, row, "before"), (186, result, "after")):
        drawn += draw.bars(values, 8, y, 384, 70, largest=1) + draw.axis(8, y, 384, "", "")
        drawn.append(draw.text(8, y - 74, label, "small"))
    wires, size, steps = [], 16, []
    run = 2
    while run <= size:
        step = run // 2
        while step > 0:
            steps.append((run, step))
            step //= 2
        run *= 2
    x, across = 14.0, 3.9  # between bars that overlap
    for run, step in steps:
        ends = []  # of the bars so far, in each of the columns of this step
        for thread in range(size // 2):
            low = thread // step * 2 * step + thread % step
            column = next((i for i, end in enumerate(ends) if end < low), len(ends))
            ends[column:column + 1] = [low + step]
            kind = "rise" if low // run % 2 == 0 else "fall"
            at, top, bottom = x + across * column, 14 + 11 * low, 14 + 11 * (low + step)
            wires += [draw.line([(at, top), (at, bottom)], kind),
                      draw.dot(at, bottom if kind == "rise" else top, 2.6, kind + "dot")]
        x += across * len(ends) + 11
    rails = [draw.line([(8, 14 + 11 * i), (x, 14 + 11 * i)], "axis") for i in range(size)]
    return [figure("A row of 128 random numbers, and what the kernel made of it.",
                   draw.svg(400, 192, drawn, "bars in disorder, and rising bars")),
            figure("The network for 16 numbers: numbers run along the lines from left to right, and each bar compares "
                   "two of them and moves the larger one to its dot. The kernel has the same steps for 256 numbers: 36 "
                   "instead of 10.", draw.svg(round(x) + 8, 192, rails + wires, "16 lines with bars between them"))]
