# SPDX-License-Identifier: MIT
"""Pictures as text: SVG that is part of a page and takes its colours from style.css, and PNG.

SVGs are about 400 units wide, so that their text is readable on a narrow screen.
"""
import struct
import zlib


def png(path, width, height, pixels):
    """Writes rows of pixels, each a number (grey) or three, from 0 to 255."""
    colours = 3 if isinstance(pixels[0], (tuple, list)) else 1
    rows = bytearray()
    for row in range(height):
        rows.append(0)
        for pixel in pixels[row * width:(row + 1) * width]:
            for value in pixel if colours == 3 else (pixel,):
                rows.append(min(255, max(0, round(value))))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2 if colours == 3 else 0, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def svg(width, height, parts, title):
    """A picture of these parts; `title` describes it to those who cannot see it."""
    return (f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{title}">' + "".join(parts) + "</svg>")


def number(value):
    """A coordinate, short."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def rectangle(x, y, width, height, kind="", fill=""):
    """A rectangle of a class of style.css, or of a colour."""
    look = f' class="{kind}"' if kind else ""
    look += f' fill="{fill}"' if fill else ""
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"{look}/>'


def text(x, y, words, kind="", anchor="start"):
    """A line of text."""
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{look}>{words}</text>'


def line(points, kind="", stroke=""):
    """A line through points."""
    look = f' class="{kind}"' if kind else ""
    look += f' stroke="{stroke}"' if stroke else ""
    return f'<polyline points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}"{look}/>'


def dot(x, y, radius, kind="", fill=""):
    """A filled circle."""
    look = f' class="{kind}"' if kind else ""
    look += f' fill="{fill}"' if fill else ""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"{look}/>'


def hue(part):
    """A colour of the wheel that is readable on light and on dark; `part` is from 0 to 1."""
    return f"hsl({round(360 * part)} 60% 52%)"


def heat(part):
    """A colour for a part from 0 to 1: from a pale to a strong blue. Readable on light and on dark."""
    return f"hsl(212 {round(30 + 50 * part)}% {round(88 - 50 * part)}%)"


def bars(values, x, y, width, height, kind="bar", largest=None):
    """Bars from the line `y` upwards."""
    largest = largest or max(values) or 1
    step = width / len(values)
    return [rectangle(x + i * step, y - height * value / largest, step * (0.85 if step > 3 else 1),
                      height * value / largest, kind) for i, value in enumerate(values)]


def axis(x, y, width, first, last):
    """A line below bars, with what its ends are."""
    return [line([(x, y), (x + width, y)], "axis"), text(x, y + 13, first, "small"),
            text(x + width, y + 13, last, "small", "end")]
