# SPDX-License-Identifier: MIT
"""Devices, and arrays that stay in their memory."""

import functools
import os

import numpy as np

from .errors import ArgumentError
from .library import Handle, call, library
from .types import dtype_of, name_of


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
        values = np.ascontiguousarray(values)
        out = self.empty(values.shape, type or name_of(values.dtype))
        if values.dtype.itemsize != dtype_of(out.type).itemsize:
            raise ArgumentError(f"array: elements of {values.dtype} are not of type {out.type}")
        out.write(values)
        return out

    def empty(self, shape, type="f32"):
        """An array of undefined contents."""
        return Array(self, tuple(int(extent) for extent in shape), type)


@functools.lru_cache(maxsize=None)
def default_device():
    """The device that functions use if none is given: $VKMOYE_DEVICE, else the best one."""
    return Device(os.environ.get("VKMOYE_DEVICE", ""))


class Array:
    """An array on a device, without gaps, in C order: the last axis is contiguous."""

    def __init__(self, device, shape, type):
        self.device, self.shape, self.type = device, shape, type
        self.dtype = dtype_of(type)
        self.size = int(np.prod(shape, dtype=np.int64)) if shape else 1
        self.nbytes = self.size * self.dtype.itemsize
        self.buffer = Handle("free_buffer", "make_buffer", device.handle.value, max(16, self.nbytes))

    def __repr__(self):
        return f"<vkmoye.Array {self.shape} {self.type} on {self.device.name}>"

    def write(self, values):
        """Copies a NumPy array of the same shape, and of the same type, to the device."""
        values = np.ascontiguousarray(values)
        if values.nbytes != self.nbytes:
            raise ArgumentError(f"array {self.shape} of {self.type} has {self.nbytes} bytes, "
                                f"the values have {values.nbytes}")
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
        wanted = shape[0] if len(shape) == 1 and not np.isscalar(shape[0]) else shape
        known = int(np.prod([extent for extent in wanted if extent != -1], dtype=np.int64))
        out = object.__new__(Array)
        out.__dict__.update(self.__dict__)
        out.shape = tuple(self.size // max(known, 1) if extent == -1 else int(extent) for extent in wanted)
        if int(np.prod(out.shape, dtype=np.int64)) != self.size:
            raise ArgumentError(f"reshape: {self.shape} has {self.size} elements, {tuple(wanted)} has others")
        return out


def array(values, type=None, device=None):
    """A copy of `values` that stays on the device, for functions that take and return such arrays.

    >>> import numpy, vkmoye
    >>> x = vkmoye.array(numpy.array([[1, 2, 3]], numpy.float32))
    >>> x.numpy().sum()
    6.0

    `type`: of vkmoye, such as "bf16", for which NumPy has none: the values are then its bits, uint16.
    """
    return (device or default_device()).array(values, type)
