# SPDX-License-Identifier: MIT
"""GPU kernels described by layouts, on Vulkan, for NumPy arrays.

>>> import numpy as np, vkmoye
>>> a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
>>> vkmoye.matmul(a, b).sum()
24.0

Functions take NumPy arrays and return one; arrays that stay on the device (vkmoye.array) save the copies.
"""

from .device import Array, Device, array, default_device
from .errors import (ArgumentError, CannotRun, DeviceFailed, DeviceLost, Error, MissingLibrary, NoDevice, OutOfMemory)
from .functions import attention, layer_norm, matmul, relayout, rms_norm, softmax, transpose
from .kernel import Kernel, compile, load

__version__ = "0.1.0"
__all__ = [
    "Array", "Device", "array", "default_device",
    "ArgumentError", "CannotRun", "DeviceFailed", "DeviceLost", "Error", "MissingLibrary", "NoDevice", "OutOfMemory",
    "attention", "layer_norm", "matmul", "relayout", "rms_norm", "softmax", "transpose",
    "Kernel", "compile", "load",
]
