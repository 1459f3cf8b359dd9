# SPDX-License-Identifier: MIT
"""What compiles kernels: libvkmoye_compile, or the program vkmoye-bench where the library is not installed."""

import ctypes
import functools
import os
import pathlib
import shlex
import shutil
import subprocess
from ctypes import POINTER, c_char_p, c_int32, c_size_t

from .errors import BY_STATUS, ArgumentError, CannotRun, Error, MissingLibrary
from .library import file_of_library, library, refuse_forked


def _compile_library():
    """The library and why it cannot be loaded; one of them is None."""
    given = os.environ.get("VKMOYE_COMPILE_LIBRARY")
    name = file_of_library("vkmoye_compile")
    beside = library().path and str(pathlib.Path(library().path).resolve().parent / name)
    path = given or beside or name
    try:
        loaded = ctypes.CDLL(path)
        loaded.vkmoye_compile.restype = c_int32
        loaded.vkmoye_compile.argtypes = (
            c_char_p, POINTER(c_char_p), c_size_t, POINTER(ctypes.c_void_p), POINTER(c_size_t))
        loaded.vkmoye_free_text.argtypes = (ctypes.c_void_p,)
        loaded.vkmoye_free_text.restype = None
        loaded.vkmoye_compile_error.restype = c_char_p
        return loaded, None
    except (OSError, AttributeError) as error:
        return None, str(error) if path in str(error) else f"{path}: {error}"


def _program():
    """The program and the places where it is not; one of them is empty."""
    given = os.environ.get("VKMOYE_PROGRAM")
    places = [given] if given else ["vkmoye-bench"]
    if not given and library().path:
        prefixes = list(pathlib.Path(library().path).resolve().parents)[:3]  # lib, or lib/x86_64-linux-gnu
        places = [str(prefix / "bin" / "vkmoye-bench") for prefix in prefixes] + places
    for place in places:
        found = shutil.which(place)
        if found:
            return found, []
    return None, [f"{place}: is not a program" for place in places]


def _by_library(loaded, kernel, options):
    refuse_forked()
    words = (c_char_p * len(options))(*[option.encode() for option in options])
    text, count = ctypes.c_void_p(), c_size_t()
    status = loaded.vkmoye_compile(kernel.encode(), words, len(options), ctypes.byref(text), ctypes.byref(count))
    if status != 0:
        raise BY_STATUS.get(status, Error)(loaded.vkmoye_compile_error().decode())
    try:
        return ctypes.string_at(text, count.value)
    finally:
        loaded.vkmoye_free_text(text)


def _by_program(program, kernel, options):
    words = [program, "emit", kernel, *options, "--kernel", "-"]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode != 0 or not done.stdout.startswith(b"{"):
        text = done.stderr.decode(errors="replace").strip().removeprefix("vkmoye-bench: ")
        kind = CannotRun if done.returncode == 3 else ArgumentError
        raise kind(text or f"{shlex.join(words)}: wrote no kernel, and ended with status {done.returncode}")
    return done.stdout


@functools.lru_cache(maxsize=None)
def _compiler():
    """A function of a kernel's name and the words of its options. VKMOYE_PROGRAM chooses the program."""
    loaded, reason = (None, "VKMOYE_PROGRAM is set") if os.environ.get("VKMOYE_PROGRAM") else _compile_library()
    if loaded:
        return functools.partial(_by_library, loaded)
    program, places = _program()
    if program:
        return functools.partial(_by_program, program)
    raise MissingLibrary(
        "compiling a kernel needs libvkmoye_compile, or the program vkmoye-bench; set VKMOYE_COMPILE_LIBRARY or "
        "VKMOYE_PROGRAM to it\n" + "\n".join("- " + text for text in [reason, *places]))


def compiled(kernel, options):
    """The bytes of a kernel file, as `vkmoye-bench emit KERNEL OPTIONS.. --kernel FILE` writes it."""
    return _compiler()(kernel, options)
