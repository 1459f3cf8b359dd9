# SPDX-License-Identifier: MIT
"""Turns the pages of this repository into pages of Doxygen.

Each heading gets the name that links of a page on the web have for it, and each link the name of its target. A link to
a file that is not part of the reference becomes text.
"""
import os
import re

HEADING = re.compile(r"^(#+) (.*)$")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


def page_name(path):
    """The name of a page: path/README.md is page_path_readme_md, that of the root is the main page."""
    return "index" if path == "README.md" else "page_" + re.sub(r"\W", "_", path.lower())


def slug(heading):
    """The name of a heading in links: lower case, without punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", "-")


def heading_name(path, heading):
    return page_name(path) + "_" + slug(heading).replace("-", "_")


def headings_of(text):
    """The headings of a page, outside of its code."""
    code = False
    for line in text.split("\n"):
        code ^= line.startswith("```")
        found = HEADING.match(line)
        if found and not code:
            yield found


class Pages:
    """All pages, from path to text, and the headers that they may link to."""

    def __init__(self, pages, headers):
        self.pages = pages
        self.headers = headers
        self.titles = {heading_name(path, next(headings_of(text)).group(2)) for path, text in pages.items()}

    def target(self, page, address):
        """What a link of `page` leads to, as Doxygen writes it; None: nothing in the reference."""
        if re.match(r"https?://", address):
            return address
        path, _, anchor = address.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if path + "/README.md" in self.pages:
            path += "/README.md"
        if path in self.pages:
            name = heading_name(path, anchor) if anchor else ""
            return "@ref " + (page_name(path) if name in self.titles or not anchor else name)
        header = re.sub(r"^(src|generator)/", "", path)
        return "@ref " + header if header in self.headers else None

    def link(self, page, found):
        target = self.target(page, found.group(2))
        if target is None:
            return found.group(1)
        text = found.group(1).replace("`", "")  # Doxygen would show them
        return f"[{text}]({target})"

    def in_order(self):
        """The paths of all pages: the main page, what it links to, and the rest."""
        links = LINK.finditer(self.pages["README.md"])
        linked = (os.path.normpath(found.group(2).partition("#")[0]) for found in links)
        linked = (path if path in self.pages else path + "/README.md" for path in linked)
        return list(dict.fromkeys(["README.md", *(path for path in linked if path in self.pages), *self.pages]))

    def convert(self, page):
        """The text of a page for Doxygen."""
        parts = re.split(r"(^ *```.*?^ *```$)", self.pages[page], flags=re.M | re.S)
        first = True
        for number, part in enumerate(parts):
            if number % 2:
                continue
            lines = part.split("\n")
            for at, line in enumerate(lines):
                found = HEADING.match(line)
                if found:
                    name = page_name(page) if first else heading_name(page, found.group(2))
                    lines[at] = f"{line} {{#{'mainpage' if name == 'index' else name}}}"
                    first = False
            part = PICTURE.sub(lambda found: f"![{found.group(1)}]({os.path.basename(found.group(2))})",
                               "\n".join(lines))
            parts[number] = LINK.sub(lambda found: self.link(page, found), part)
        return "".join(parts)
