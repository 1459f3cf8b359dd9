# SPDX-License-Identifier: MIT
"""A small synthetic landscape: flat parts, slopes, fine lines and sharp edges."""
import math


def noise(*numbers):
    """A number from 0 to 1 that depends on whole numbers only."""
    bits = 0x9E3779B9
    for one in numbers:
        bits = ((bits ^ (one & 0xFFFFFFFF)) * 0x85EBCA6B) & 0xFFFFFFFF
        bits ^= bits >> 13
    return ((bits * 0xC2B2AE35) & 0xFFFFFFFF) / 2**32


def mixed(a, b, part):
    """From colour a (part 0) to colour b (part 1)."""
    return tuple(p + (q - p) * part for p, q in zip(a, b))


def colour_at(x, y):
    """The colour at a place, both coordinates from 0 to 1, y downwards; colours are from 0 to 1."""
    far = 0.50 + 0.05 * math.sin(9 * x) + 0.04 * math.sin(23 * x + 1)
    near = 0.66 + 0.07 * math.sin(5 * x + 2) + 0.02 * math.sin(31 * x)
    if 0.72 < x < 0.86 and 0.48 < y < 0.72:  # a house, with windows
        u, v = (x - 0.72) / 0.14, (y - 0.48) / 0.24
        if v < 0.35 and abs(u - 0.5) > v / 0.7:
            return colour_behind(x, y, far, near)
        if v < 0.35:
            return (0.55, 0.18, 0.15)
        is_window = 0.5 < v < 0.72 and (0.15 < u < 0.4 or 0.6 < u < 0.85)
        return (0.98, 0.9, 0.55) if is_window else (0.86, 0.82, 0.74)
    for trunk in (0.12, 0.2, 0.26):  # thin trees
        if abs(x - trunk) < 0.004 and 0.35 < y < 0.72:
            return (0.2, 0.13, 0.08)
        if (x - trunk) ** 2 * 4 + (y - 0.38) ** 2 < 0.006:
            return (0.1, 0.35, 0.16)
    return colour_behind(x, y, far, near)


def colour_behind(x, y, far, near):
    """Hills, a lake and the sky with a sun."""
    if y > 0.84:
        return mixed((0.12, 0.3, 0.5), (0.55, 0.7, 0.85), 0.5 + 0.5 * math.sin(90 * y + 6 * math.sin(8 * x)))
    if y > near:
        return mixed((0.2, 0.45, 0.18), (0.38, 0.6, 0.25), (y - near) * 4)
    if y > far:
        return mixed((0.35, 0.42, 0.5), (0.25, 0.4, 0.32), (y - far) * 5)
    sky = mixed((0.25, 0.5, 0.85), (0.85, 0.88, 0.92), y / 0.55)
    away = math.hypot((x - 0.58) * 1.5, y - 0.2)
    return (1.0, 0.93, 0.6) if away < 0.09 else mixed((1.0, 0.93, 0.7), sky, min(1, away * 3))


def colours(width, height):
    """All pixels, row by row."""
    return [colour_at((x + 0.5) / width, (y + 0.5) / height) for y in range(height) for x in range(width)]


def greys(width, height):
    """All pixels as numbers from 0 to 1."""
    return [0.3 * r + 0.59 * g + 0.11 * b for r, g, b in colours(width, height)]
