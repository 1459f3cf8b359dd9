# SPDX-License-Identifier: MIT
"""The pages as HTML. They need no script, and send no request to another server."""
import html
import re

HEAD = """<!DOCTYPE html>
<!-- SPDX-License-Identifier: MIT -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self' data:">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
  <p class="brand"><a href="index.html">vkmoye: gallery</a></p>
  <nav aria-label="Kernels">{links}</nav>
</header>
<main id="main" tabindex="-1">
"""
FOOT = """</main>
<footer>{footer}</footer>
</body>
</html>
"""


def escape(text):
    """Text as HTML."""
    return html.escape(text, quote=True)


def code(text, kind="code"):
    """Lines of C++ or GLSL, with their comments in another colour."""
    lines = []
    for line in text.strip("\n").split("\n"):
        shown, comment = re.match(r"""((?:[^"'/]|"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|['/](?!/))*)(.*)""", line).groups()
        lines.append(escape(shown) + (f'<span class="comment">{escape(comment)}</span>' if comment else ""))
    return f'<pre class="{kind}" tabindex="0">' + "\n".join(lines) + "</pre>"


def command(text):
    """A command of the program."""
    return f'<p class="command"><code>{escape(text)}</code></p>'


def details(summary, body):
    """A part that is closed at first."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def table(head, lines):
    """A table that scrolls by itself where it is too wide."""
    cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table></div>'


def figures(shown):
    """The pictures of a page."""
    return "".join(f'<figure>{one["html"]}<figcaption>{one["caption"]}</figcaption></figure>' for one in shown)


def microseconds(value):
    """A time with three digits."""
    unit, factor = ("ms", 1e-3) if value >= 1000 else ("us", 1)
    shown = value * factor
    return f"{shown:.{2 if shown < 10 else 1 if shown < 100 else 0}f} {unit}"


def time_section(timed, checked):
    """The measured time of the kernel, and what was checked."""
    device, result = timed["device"], timed["results"][0]
    times = result["time_us"]
    bytes_per_second = f'{result["gbps"]:{".0f" if result["gbps"] >= 100 else ".3g"}} GB/s' if result["gbps"] else "-"
    if result["percent_of_ceiling"]:
        bytes_per_second += f', {result["percent_of_ceiling"]:.0f} % of '
        bytes_per_second += "a copy of as many bytes" if result["ceiling"] == "copy" else escape(result["ceiling"])
    least, most = microseconds(times["min"]), microseconds(times["p95"])
    lines = [("device", escape(device["name"])),
             ("driver", f'{escape(device["driver"])}, Vulkan {device["api"]}'),
             ("size", "x".join(map(str, result["size"])) + " of " + result["type"]),
             ("median", f'<strong>{microseconds(times["median"])}</strong>, by the clock of the {times["clock"]}'),
             ("spread", f"{least} at least, at most {most} for 95 % of the samples; "
                        f'the median is known to {times["noise_percent"]:.1f} %'),
             ("samples", str(times["samples"])),
             ("read and written", bytes_per_second)]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in lines)
    note = ("<p>This device is a CPU: the result is valid, but the time says nothing about a GPU.</p>"
            if device["type"] == "cpu" else "")
    sizes = ", ".join("x".join(map(str, one["size"])) for one in checked["results"])
    return (f'<h2 id="time">Time</h2>{command(result["shown"])}<dl>{listed}</dl>{note}'
            f'<p>The result of this run was compared with the definition in f64 ({result["verification"]}). The host '
            f"twin, which checks each access, ran the kernel for the size {sizes}.</p>")


GRADES = {"good": ("good", "lowest cost"), "fair": ("fair", "fair"), "bad": ("bad", "costly"),
          "unknown": ("faint", "not known"), "unmade": ("faint", "not reached")}


def cost_of(access):
    """The request that costs most: "16 sectors, 2 at best"."""
    if access["sectors"]:
        return f'{access["sectors"]["found"]} sectors, {access["sectors"]["ideal"]} at best'
    if access["banks"]:
        return f'{access["banks"]["wavefronts"]} wavefronts, {access["banks"]["ideal"]} at best'
    return "-"


def access_table(accesses):
    """A line for each kind of access; those that differ in their place alone share one."""
    lines = {}
    for access in accesses:
        kind, words = GRADES[access["grade"]]
        verdict = words if access["grade"] == "unmade" else escape(access["verdict"])
        what = f'{access["access"]} {escape(access["array"])}'
        key = (what, f'<span class="{kind}">{verdict}</span>', cost_of(access))
        lines.setdefault(key, []).append(access["partition"])
    rows = []
    for (what, verdict, cost), places in lines.items():
        distinct = list(dict.fromkeys(places))
        more = f" and {len(distinct) - 1} more" if len(distinct) > 1 else ""
        rows.append((what + (f" ({len(places)} times)" if len(places) > 1 else ""), verdict, cost,
                     f"<code>{escape(distinct[0])}</code>{more}"))
    return table(("access", "verdict", "worst request", "by"), rows) if rows else ""


def claims_text(report):
    """What is proved of a kernel, and what its author asserts."""
    proved = sum(claim["answer"] == "proved" for claim in report["claims"])
    assumed = len(report["claims"]) - proved
    if assumed == 0:
        return f"<p>{proved} claims are proved for all sizes; none is assumed.</p>"
    listed = "".join(f"<li>{escape(one)}</li>" for one in report["assumptions"])
    return f'<p>{proved} claims are proved for all sizes, {assumed} assumed by the author:</p><ul>{listed}</ul>'


def report_section(steps):
    """What `explain` says of each step: its JSON, its text and the command."""
    parts = ['<h2 id="report">Report of the accesses</h2>',
             "<p>The cost of each access to memory, computed from its indices without running the kernel, for a GPU "
             "with subgroups of 32, sectors of 32 bytes and 32 banks. An access at an index that is read from memory has "
             "no cost here.</p>"]
    for report, text, shown in steps:
        if len(steps) > 1:
            parts.append(f'<h3>{escape(report["kernel"])}</h3>')
        parts += [access_table(report["accesses"]), claims_text(report),
                  details("The whole report", command(shown) + f'<pre tabindex="0">{escape(text)}</pre>')]
    return "".join(parts)


def kernel_page(entry, links):
    """The page of a kernel: `entry` has its parts, see make."""
    steps = entry["report"]
    kernels = f"a plan of {len(steps)} kernels" if len(steps) > 1 else "one kernel"
    sections = " ".join(f'<a href="#{one.lower()}">{one}</a>'
                        for one in ("Picture", "Time", "Description", "Shader", "Report"))
    parts = [HEAD.format(title=f'{entry["title"]}: vkmoye', links=links),
             f'<h1>{entry["title"]}</h1>',
             f'<p class="faint"><code>models/{entry["name"]}</code>, {kernels}</p>',
             f'<p>{entry["text"].strip()}</p>',
             f'<p class="parts">{sections}</p>',
             '<h2 id="picture">Picture</h2>',
             figures(entry["figures"]),
             time_section(entry["timed"], entry["checked"]),
             '<h2 id="description">Description</h2>',
             f'<p>From <code>tests/consumer/models/{entry["file"]}</code>.</p>',
             code(entry["description"], "code whole"),
             details("Its problem, its definition and its sizes", code(entry["problem"])),
             '<h2 id="shader">Shader</h2>',
             command(entry["emitted"])]
    shaders = [code(shader) for shader in entry["shaders"]]
    for shader, (report, _, _) in zip(shaders, steps):
        parts.append(details(escape(report["kernel"]), shader) if len(shaders) > 1 else shader)
    parts += [report_section(steps), FOOT.format(footer=entry["footer"])]
    return "\n".join(parts)


def index_page(entries, links, footer):
    """The page with a card for each kernel."""
    cards = "".join(
        f'<a class="card" href="{one["name"]}.html"><div class="picture">{one["figures"][0]["card"]}</div>'
        f'<h2>{one["title"]}</h2><p>{escape(one["summary"])}</p></a>' for one in entries)
    return "\n".join([
        HEAD.format(title="vkmoye: gallery", links=links), "<h1>Kernels, by description</h1>",
        "<p>Ten kernels that vkmoye does not ship, each described in less than 100 lines of C++, as a user of the "
        "library would. Each page has a picture of what the kernel computed, its description, the shader that vkmoye "
        "made of it, the costs of its accesses, what is proved about it, and a measured time.</p>",
        f'<div class="cards">{cards}</div>', FOOT.format(footer=footer)])
