# SPDX-License-Identifier: MIT
"""libvkmoye_c: where it is, and its functions with the types of their arguments, as vkmoye.h declares them."""

import ctypes
import ctypes.util
import functools
import numbers
import os
import pathlib
import platform
import shutil
import sys
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from .errors import BY_STATUS, ArgumentError, Error, MissingLibrary

OLDEST_VERSION = (1, 3)  # of the interface


class Value(ctypes.Structure):
    _fields_ = [("integer", c_int64), ("real", c_double), ("is_real", c_uint32), ("reserved", c_uint32)]


class Argument(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", Value)]


class Range(ctypes.Structure):
    _fields_ = [("buffer", c_void_p), ("vk_buffer", c_uint64), ("offset", c_uint64), ("bytes", c_uint64)]


class RecorderOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("recordings", c_uint32), ("timestamps", c_uint32), ("reserved", c_uint32),
                ("specialised", POINTER(Argument)), ("specialised_count", c_uint32), ("reserved_2", c_uint32),
                ("scratch", c_void_p)]


_ARGUMENTS = (POINTER(Argument), c_uint32)
# Name, result, arguments.
_FUNCTIONS = {
    "c_version": (c_uint32,),
    "last_error": (c_char_p,),
    "read_file": (c_int32, c_char_p, POINTER(c_void_p)),
    "parse_file": (c_int32, c_char_p, c_size_t, POINTER(c_void_p)),
    "free_file": (None, c_void_p),
    "file_name": (c_char_p, c_void_p),
    "array_count": (c_uint32, c_void_p),
    "array_name": (c_char_p, c_void_p, c_uint32),
    "array_type": (c_char_p, c_void_p, c_uint32),
    "array_access": (c_uint32, c_void_p, c_uint32),
    "argument_count": (c_uint32, c_void_p),
    "argument_name": (c_char_p, c_void_p, c_uint32),
    "array_extents": (c_int32, c_void_p, c_uint32, *_ARGUMENTS, POINTER(c_uint64), c_uint32, POINTER(c_uint32)),
    "array_bytes": (c_int32, c_void_p, c_uint32, *_ARGUMENTS, POINTER(c_uint64)),
    "open_device": (c_int32, c_char_p, c_void_p, POINTER(c_void_p)),
    "free_device": (None, c_void_p),
    "device_name": (c_char_p, c_void_p),
    "make_buffer": (c_int32, c_void_p, c_uint64, POINTER(c_void_p)),
    "free_buffer": (None, c_void_p),
    "write_buffer": (c_int32, c_void_p, c_uint64, c_void_p, c_size_t),
    "read_buffer": (c_int32, c_void_p, c_uint64, c_void_p, c_size_t),
    "make_recorder": (c_int32, c_void_p, c_void_p, POINTER(RecorderOptions), POINTER(c_void_p)),
    "free_recorder": (None, c_void_p),
    "run": (c_int32, c_void_p, POINTER(Range), c_uint32, *_ARGUMENTS, POINTER(c_double)),
}


def file_of_library(name, version=1):
    """"vkmoye_c" -> "libvkmoye_c.so.1"."""
    return {"win32": f"{name}.dll", "darwin": f"lib{name}.dylib"}.get(sys.platform, f"lib{name}.so.{version}")


def _candidates():
    """Where the library may be, in order; the first that can be loaded is used."""
    given = os.environ.get("VKMOYE_LIBRARY")
    if given:
        yield given
        return
    name = file_of_library("vkmoye_c")
    yield str(pathlib.Path(__file__).parent / name)
    prefixes = [pathlib.Path(sys.prefix), pathlib.Path.home() / ".local"]
    program = shutil.which("vkmoye-bench")
    if program:
        prefixes.insert(0, pathlib.Path(program).resolve().parent.parent)
    for prefix in prefixes:
        for folder in ("lib", "lib64", "bin", f"lib/{platform.machine()}-linux-gnu"):
            yield str(prefix / folder / name)
    yield ctypes.util.find_library("vkmoye_c") or name


@functools.lru_cache(maxsize=None)
def library():
    """The library, loaded on first use. Raises MissingLibrary."""
    reasons = []
    for candidate in _candidates():
        try:
            loaded = ctypes.CDLL(candidate)
            loaded.vkmoye_c_version.restype = c_uint32
        except (OSError, AttributeError) as error:
            reasons.append(str(error) if candidate in str(error) else f"{candidate}: {error}")
            continue
        number = loaded.vkmoye_c_version()
        version = (number >> 16, number & 0xFFFF)
        if version[0] != OLDEST_VERSION[0] or version < OLDEST_VERSION:
            reasons.append("{}: has version {}.{}, needs {}.{}".format(candidate, *version, *OLDEST_VERSION))
            continue
        for function, (result, *arguments) in _FUNCTIONS.items():
            entry = getattr(loaded, "vkmoye_" + function)
            entry.restype, entry.argtypes = result, arguments
        loaded.path = candidate if os.path.dirname(candidate) else None  # None: found by the system
        return loaded
    raise MissingLibrary(
        "libvkmoye_c was not found; install vkmoye, or set VKMOYE_LIBRARY to the file\n"
        + "\n".join("- " + reason for reason in reasons))


_process = os.getpid()


def refuse_forked():
    if os.getpid() != _process:
        raise Error("vkmoye was imported before this process was forked, and drivers do not outlive a fork; "
                    "use multiprocessing's start method 'spawn'")


def call(function, *arguments):
    """Calls a function that returns a vkmoye_status. Raises the exception of its status."""
    refuse_forked()
    status = getattr(library(), "vkmoye_" + function)(*arguments)
    if status != 0:
        raise BY_STATUS.get(status, Error)(library().vkmoye_last_error().decode())


class Handle:
    """An object of the library, freed when it is no longer used."""

    def __init__(self, free, make, *arguments):
        self.value = c_void_p()
        call(make, *arguments, ctypes.byref(self.value))
        self._free = getattr(library(), "vkmoye_" + free)

    def __del__(self):
        if getattr(self, "_free", None) is not None and self.value and os.getpid() == _process:
            self._free(self.value)
            self.value = c_void_p()


def arguments_of(values):
    """{"m": 64, "alpha": 0.5} as an array of vkmoye_argument, and its length."""
    all_values = []
    for name, value in values.items():
        if not isinstance(value, numbers.Real) or (isinstance(value, numbers.Integral) and not -2**63 <= value < 2**63):
            raise ArgumentError(f"argument {name}: {value!r} is not a number of 64 bits")
        is_real = not isinstance(value, numbers.Integral)
        number = Value(0, float(value), 1, 0) if is_real else Value(int(value), 0.0, 0, 0)
        all_values.append(Argument(name.encode(), number))
    return (Argument * len(all_values))(*all_values), len(all_values)
