# SPDX-License-Identifier: MIT
"""Kernels and plans: from files that `vkmoye-bench emit --kernel` wrote, or compiled when they are needed."""

import ctypes
import functools
import math
import pathlib
import shlex
import threading

import numpy as np

from .compiler import compiled
from .device import Array, default_device
from .errors import ArgumentError
from .library import Handle, Range, RecorderOptions, arguments_of, call, library
from .types import fits

READ, WRITTEN = 1, 2  # vkmoye_array_access


class KernelArray:
    """An array that a kernel takes: its name, type, and whether it is read and written."""

    def __init__(self, file, index):
        self.index = index
        self.name = library().vkmoye_array_name(file, index).decode()
        self.type = (library().vkmoye_array_type(file, index) or b"u8").decode()
        access = library().vkmoye_array_access(file, index)
        self.is_read, self.is_written = bool(access & READ), bool(access & WRITTEN)

    @property
    def is_result(self):
        return self.is_written and not self.is_read


class Kernel:
    """A kernel or a plan, on a device.

    kernel(x, w, rows=64, cols=4096) takes the arrays that it reads, in the order of `arrays`, and the sizes that it has
    by name; a plan has its sizes. It returns the arrays that it writes: NumPy arrays, or arrays of the device if one of
    those it took was. Arrays that are both read and written are changed; they must be arrays of the device, and are
    among the results. Arrays have no gaps: arguments such as lda are left out.

    `specialised`: the sizes that are constants of the kernel (`emit --specialise cols`), {"cols": 4096}. They need not
    be passed again.
    """

    def __init__(self, text, device=None, specialised=None):
        self.device = device or default_device()
        self.specialised = dict(specialised or {})
        self._file = Handle("free_file", "parse_file", text, len(text))
        file = self._file.value
        self.name = library().vkmoye_file_name(file).decode()
        self.arrays = [KernelArray(file, i) for i in range(library().vkmoye_array_count(file))]
        self.arguments = [library().vkmoye_argument_name(file, i).decode()
                          for i in range(library().vkmoye_argument_count(file))]
        values, count = arguments_of(self.specialised)
        options = RecorderOptions(ctypes.sizeof(RecorderOptions), 0, 0, 0, values, count, 0, None)
        self._recorder = Handle("free_recorder", "make_recorder", self.device.handle.value, file, ctypes.byref(options))
        self._lock = threading.Lock()  # a recorder is used by one thread at a time
        self.microseconds = None  # of the last call, on the device

    def __repr__(self):
        return f"<vkmoye.Kernel {self.name}({', '.join(a.name for a in self.arrays)}) on {self.device.name}>"

    def shape(self, array, arguments):
        """The shape of a KernelArray for these sizes, the contiguous axis last."""
        extents, rank = (ctypes.c_uint64 * 64)(), ctypes.c_uint32()
        call("array_extents", self._file.value, array.index, *arguments, extents, 64, ctypes.byref(rank))
        return tuple(extents[: rank.value])

    def __call__(self, *inputs, **sizes):
        """Runs it; see above."""
        return self.run(inputs, sizes, any_shape=False)

    def run(self, inputs, sizes, any_shape):
        """Runs it. `any_shape`: arrays may have any shape with as many elements as the kernel's."""
        arguments = arguments_of({**self.specialised, **sizes})
        taken = [array for array in self.arrays if not array.is_result]
        results = [array for array in self.arrays if array.is_result]
        if len(inputs) != len(taken):
            raise ArgumentError(f"{self.name}: takes {len(taken)} arrays ({', '.join(a.name for a in taken)}), "
                                f"got {len(inputs)}")
        reasons, passed = [], {}
        for array, values in zip(taken, inputs):
            reasons += self._reasons_against(array, values, self.shape(array, arguments), any_shape)
        if reasons:
            raise ArgumentError("\n- ".join([f"{self.name}:"] + reasons))
        for array, values in zip(taken, inputs):
            passed[array.index] = values if isinstance(values, Array) else self.device.array(values, array.type)
        made = []
        for array in results:
            made.append(self.device.empty(self.shape(array, arguments), array.type))
            passed[array.index] = made[-1]
        ranges = (Range * len(self.arrays))(
            *[Range(passed[i].buffer.value, 0, 0, 0) for i in range(len(self.arrays))])
        time = ctypes.c_double()
        with self._lock:
            call("run", self._recorder.value, ranges, len(ranges), *arguments, ctypes.byref(time))
            self.microseconds = time.value
        made += [passed[array.index] for array in taken if array.is_written]
        if not any(isinstance(values, Array) for values in inputs):
            made = [array.numpy() for array in made]
        return made[0] if len(made) == 1 else tuple(made)

    def _reasons_against(self, array, values, shape, any_shape):
        is_on_device = isinstance(values, Array)
        values = values if is_on_device else np.asarray(values)
        type_fits = values.type == array.type if is_on_device else fits(values.dtype, array.type)
        if not type_fits:
            yield f"{array.name}: has elements of {values.type if is_on_device else values.dtype}, needs {array.type}"
        if math.prod(shape) != values.size if any_shape else shape != tuple(values.shape):
            yield f"{array.name}: has the shape {tuple(values.shape)}, needs {shape}"
        if array.is_written and not is_on_device:
            yield f"{array.name}: is changed by the kernel, so it must be an array of the device (vkmoye.array)"
        if is_on_device and values.device is not self.device:
            yield f"{array.name}: is on another device, {values.device.name}, not on {self.device.name}"


def load(path, device=None, specialised=None):
    """The kernel or plan of a file that `vkmoye-bench emit --kernel` wrote; see Kernel."""
    try:
        text = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror}") from error
    try:
        return Kernel(text, device, specialised)
    except ArgumentError as error:
        raise ArgumentError(f"{path}: {error}") from error


_lock = threading.RLock()  # each kernel is compiled once


@functools.lru_cache(maxsize=256)
def _compiled(device, name, options):
    return Kernel(compiled(name, [*options, "--device", device.selector or device.name]), device)


def compile(name, options="", device=None):
    """A kernel by its name and the options of `vkmoye-bench emit`, compiled for the device when first asked for.

    >>> import vkmoye
    >>> vkmoye.compile("softmax/rows", "--type f16").arguments
    ['cols', 'rows']
    """
    try:
        words = tuple(shlex.split(options) if isinstance(options, str) else map(str, options))
    except ValueError as error:
        raise ArgumentError(f"compile: options {options!r}: {error}") from error
    with _lock:
        return _compiled(device or default_device(), name, words)
