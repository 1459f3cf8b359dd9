# SPDX-License-Identifier: MIT
"""Turns the comments of our headers into comments that Doxygen reads.

A header starts with a comment about the whole file, which also describes the type or function that the file is named
for. `///` describes what follows, `//` after a field or an enumerator describes it, and one comment describes the
functions below it up to an empty line. Examples are indented.

    // Memory on the device.           /// @file Memory on the device.
    struct Mode {                      struct Mode {
      int extent;  // at least 1         int extent;  ///< at least 1

Every line stays at its number, so that Doxygen's messages name lines of the header.
"""
import re

CODE_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\]|\\.)+\'|//.*')
NAMES_A_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
FUNCTION = re.compile(r"^#define (\w+)|"
                      r"^(?!.*\b(?:using|typedef|static_assert|struct|class|enum)\b)[^=]*?(operator\S+|\w+)\(")
SPECIAL = re.compile(r"[\\@<>&#]|%(?=\w)")


def escape(text):
    """The text with nothing that Doxygen would take for a command, outside of `code`."""
    parts = text.split("`")
    parts[::2] = [SPECIAL.sub(lambda found: "\\" + found.group(), part) for part in parts[::2]]
    return "`".join(parts)


def split_comment(line):
    """The code of a line without its strings, and its `//` comment or None."""
    for found in CODE_OR_COMMENT.finditer(line):
        if found.group().startswith("//"):
            code, comment = line[:found.start()], found.group()
            return CODE_OR_COMMENT.sub("0", code), comment
    return CODE_OR_COMMENT.sub("0", line), None


def render(texts):
    """The lines of one comment, without its slashes: escaped, and with its indented examples as code."""
    lines = []
    inside = False
    for number, text in enumerate(texts):
        indented = text.startswith("  ") and text.strip() != ""
        after_blank = number == 0 or texts[number - 1].strip() == ""
        if not inside and indented and after_blank:
            inside = True
            end = next((n for n in range(number, len(texts))
                        if texts[n].strip() and not texts[n].startswith("  ")), len(texts))
            language = "@code{.cpp}" if ";" in "".join(texts[number:end]) else "@code{.unparsed}"
            if lines:
                lines[-1] = " " + language
            else:
                text = language + " " + text
        elif inside and text.strip() and not indented:
            inside = False
            lines[-1] = " @endcode"
        lines.append(text if inside else escape(text))
    if inside:
        lines[-1] += " @endcode"
    return lines


class Scopes:
    """Which braces are open: those of namespaces and types, or those of functions and values."""

    def __init__(self):
        self.open = []
        self.statement = ""
        self.parentheses = 0

    def declares(self):
        """Whether the next token belongs to a declaration outside of functions, and is in no parentheses."""
        return all(self.open) and self.parentheses == 0

    def begins_statement(self):
        """Whether the next token begins such a declaration."""
        return self.declares() and not self.statement.strip()

    def read(self, code):
        """Goes over one line of code."""
        if code.lstrip().startswith("#"):
            return
        for token in code:
            if token == "{":
                statement = re.sub(r"^\s*template\s*<.*?>\s*(?=[a-z])", "", self.statement)
                self.open.append(bool(NAMES_A_SCOPE.search(statement)) and not re.search(r"[(=]", statement))
                self.statement = ""
            elif token == "}":
                self.open.pop()
                self.statement = ""
            elif token == ";":
                self.statement = ""
            else:
                self.parentheses += (token == "(") - (token == ")")
                self.statement += token
        self.statement += " "


def in_one_line(texts):
    """The first paragraph of a comment as a comment that fits before a declaration."""
    end = next((number for number, text in enumerate(texts) if not text.strip()), len(texts))
    return escape(" ".join(" ".join(texts[:end]).split())).replace("*/", "* /")


def declared(code):
    """The name of the type or function that a line of a namespace declares; None if it declares none."""
    found = re.match(r"(?:class|struct|enum class|using) (\w+)(?!\w*;)", code) or FUNCTION.match(code)
    return found and not code.startswith(" ") and found.group(found.lastindex)


def cpp_header(path, text):
    """The C++ header `path` with comments that Doxygen reads."""
    topic = "".join(word.capitalize() for word in path.stem.split("_"))
    title = ""  # what describes the topic, until it is declared
    lines = text.split("\n")
    result = list(lines)
    scopes = Scopes()
    number = 0
    title_read = False
    template = None  # the line above, if it is the `template <...>` of a declaration
    shared = None  # the comment of the functions above, until an empty line
    while number < len(lines):
        line = lines[number]
        code, comment = split_comment(line)
        if line == "#pragma once" and lines[number + 1].startswith("//"):
            end = number + 1
            while lines[end].startswith("//"):
                end += 1
            texts = [one[2:] for one in lines[number + 1:end]]
            result[number] = "/// @file"
            result[number + 1:end] = ["///" + one for one in render(texts)]
            title_read = True
            title = in_one_line(texts)
            number = end
            continue
        if not code.strip() and comment and title_read and scopes.declares():
            end = number
            slashes = "///" if comment.startswith("///") else "//"
            while end < len(lines) and lines[end].lstrip().startswith("//"):
                end += 1
            if slashes == "///" or describes(lines, number, end):
                indent = line[:len(line) - len(line.lstrip())]
                texts = [one.strip().lstrip("/") for one in lines[number:end]]
                result[number:end] = [indent + "///" + one for one in render(texts)]
                shared = in_one_line(texts)
                first = None
            number = end
            continue
        begins_template = re.match(r"\s*template <.*>\s*$", code)
        if not line.strip():
            shared = None
        elif begins_template:
            pass
        elif shared is not None and (template is not None or scopes.begins_statement()):
            found = FUNCTION.match(code)
            name = found and found.group(found.lastindex)
            special = re.search(r"= (default|delete);|~\w+\(|^\s*(explicit )?(\w+)\((const )?(\3\b|\))", code)
            if not name or special:
                shared = shared if first is None else None
            elif first is None:
                first = name
            elif comment is None or comment.startswith("// NOLINT"):
                again = "" if name == first else f"With {first}: "
                start = number if template is None else template
                result[start] = f"/** {again}{shared} */ {result[start]}"
        if title and shared is None and declared(line) in (topic, path.stem) and \
                (template is not None or scopes.begins_statement()):
            start = number if template is None else template
            result[start] = f"/** {title} */ {result[start]}"
            title = ""
        template = number if begins_template else None
        scopes.read(code)
        if comment and code.strip() and scopes.declares() and re.search(r"[;,\w})]\s*$", code):
            column = len(line) - len(comment)
            if not code.startswith("}") and not comment.startswith("// NOLINT"):
                after = number
                while True:
                    text = lines[after][column + 2:]
                    result[after] = lines[after][:column] + "///<" + escape(text)
                    after += 1
                    if after == len(lines) or not re.match(r" {%d}// " % column, lines[after]):
                        break
                number = after
                continue
        number += 1
    return "\n".join(result)


def describes(lines, start, end):
    """Whether the `//` lines from `start` to `end` describe the one declaration below them: no headings."""
    if lines[start].lstrip().startswith("// ---") or end == len(lines) or not lines[end].strip():
        return False
    after = end
    while after + 1 < len(lines) and not lines[after].rstrip().endswith((";", ",")):
        after += 1
    return after + 1 == len(lines) or lines[after + 1].strip() in ("", "};") or "//" in lines[after + 1][:6]


def c_header(path, text):
    """A C header, whose comments are in /* */, with comments that Doxygen reads."""
    def convert(found):
        before, body = found.group(1), found.group(2)
        if body.startswith((" ---", " SPDX")):
            return found.group()
        texts = [one if n == 0 else one[2:] for n, one in enumerate(body.split("\n"))]
        opening = "/**<" if before.strip() else "/**"
        return before + opening + "\n".join(render(texts)) + "*/"
    text = re.sub(r"^([^\n/]*)/\*(.*?)\*/", convert, text, flags=re.M | re.S)
    text = re.sub(r"(?<=/\*\*)", " @file " + path.name + "\n", text, count=1)
    return re.sub(r"^(/\*\*(?:(?!\*/).)*\*/)\n(.*?)(?=^$|^/\*|\Z)", share_in_c, text, flags=re.M | re.S)


def share_in_c(found):
    """A comment and the declarations below it, each of which gets the comment."""
    comment, below = found.groups()
    declarations = re.split(r"(?<=\n)(?=VKMOYE_(?:COMPILE_)?API |#define )", below)
    names = [re.search(r"\b(vkmoye_\w+)\(|#define (\w+)", one) for one in declarations]
    if len(declarations) == 1 or not all(names):
        return found.group()
    text = " ".join(comment[3:-2].split("\n\n")[0].split())
    again = f"/** With {names[0].group(names[0].lastindex)}: {text} */ "
    return comment + "\n" + again.join(declarations)
