# SPDX-License-Identifier: MIT
"""Devices, and arrays that stay in their memory."""

import math
import numbers
import operator
import os
import threading

import numpy as np

from .errors import ArgumentError, OutOfMemory
from .library import Handle, call, library
from .types import dtype_of, fits, name_of, type_of


class Device:
    """A Vulkan device. `selector`: an index, or a part of its name; "": the best one."""

    def __init__(self, selector=""):
        self.selector = str(selector)
        self.handle = Handle("free_device", "open_device", self.selector.encode(), None)
        self.name = library().vkmoye_device_name(self.handle.value).decode()

    def __repr__(self):
        return f"<vkmoye.Device {self.name}>"

    def array(self, values, type=None):
        """A copy of `values` on this device; see vkmoye.array."""
        if isinstance(values, Array):
            type, values = type or values.type, values.numpy()
        values = np.asarray(values)
        out = self.empty(values.shape, type or name_of(values.dtype))
        out.write(values)
        return out

    def empty(self, shape, type="f32"):
        """An array of undefined contents."""
        extents = (shape,) if isinstance(shape, numbers.Integral) else shape
        return Array(self, tuple(operator.index(extent) for extent in extents), type_of(type))


_lock = threading.Lock()
_default = []


def default_device():
    """The device that functions use if none is given: $VKMOYE_DEVICE, else the best one."""
    with _lock:
        if not _default:
            _default.append(Device(os.environ.get("VKMOYE_DEVICE", "")))
        return _default[0]


class Array:
    """An array on a device, without gaps, in C order: the last axis is contiguous."""

    def __init__(self, device, shape, type):
        if any(extent < 0 for extent in shape):
            raise ArgumentError(f"array: the shape {shape} has an extent below 0")
        self.device, self.shape, self.type = device, shape, type
        self.dtype = dtype_of(type)
        self.size = math.prod(shape)
        self.nbytes = self.size * self.dtype.itemsize
        if self.nbytes >= 2**63:
            raise OutOfMemory(f"array: the shape {shape} has {self.nbytes} bytes")
        self.buffer = Handle("free_buffer", "make_buffer", device.handle.value, max(16, self.nbytes))

    def __repr__(self):
        return f"<vkmoye.Array {self.shape} {self.type} on {self.device.name}>"

    def write(self, values):
        """Copies a NumPy array of the same shape, and of the same type, to the device."""
        values = np.asarray(values)
        if not fits(values.dtype, self.type) or values.shape != self.shape:
            raise ArgumentError(f"array of {self.type}, shape {self.shape}: the values are of {values.dtype}, "
                                f"shape {values.shape}")
        values = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False))
        if self.nbytes:
            call("write_buffer", self.buffer.value, 0, values.ctypes.data, self.nbytes)

    def numpy(self):
        """A copy of the array as a NumPy array."""
        out = np.empty(self.shape, self.dtype)
        if self.nbytes:
            call("read_buffer", self.buffer.value, 0, out.ctypes.data, self.nbytes)
        return out

    def __array__(self, dtype=None, copy=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def reshape(self, *shape):
        """The same memory with another shape of as many elements; one extent may be -1."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else shape
        wanted = tuple(operator.index(extent) for extent in given)
        known = math.prod(extent for extent in wanted if extent != -1)
        full = tuple(self.size // max(known, 1) if extent == -1 else extent for extent in wanted)
        if wanted.count(-1) > 1 or any(extent < 0 for extent in full) or math.prod(full) != self.size or \
                (known == 0 and -1 in wanted):
            raise ArgumentError(f"reshape: {self.shape} has {self.size} elements, {wanted} is no shape of as many")
        out = object.__new__(Array)
        out.__dict__.update(self.__dict__)
        out.shape = full
        return out


def array(values, type=None, device=None):
    """A copy of `values` that stays on the device, for functions that take and return such arrays.

    >>> import numpy, vkmoye
    >>> x = vkmoye.array(numpy.array([[1, 2, 3]], numpy.float32))
    >>> x.numpy().sum()
    6.0

    `type`: by default that of the values, which are not converted. For "bf16", of which NumPy has none, they are its
    bits, uint16.
    """
    return (device or default_device()).array(values, type)
