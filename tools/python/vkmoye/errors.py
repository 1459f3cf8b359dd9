# SPDX-License-Identifier: MIT
"""Exceptions. Each has every reason: as text, and as the list `reasons`."""


class Error(Exception):
    """The base of all of them."""

    def __init__(self, text):
        super().__init__(text)
        lines = [line.strip() for line in str(text).splitlines() if line.strip()]
        listed = [line[2:] for line in lines if line.startswith("- ")]
        self.reasons = listed or lines


class ArgumentError(Error, ValueError):
    """An argument, an array or a file is invalid."""


class CannotRun(Error):
    """The device cannot run the kernel."""


class NoDevice(Error):
    """There is no Vulkan loader, driver or usable device."""


class OutOfMemory(Error, MemoryError):
    """The memory of the device or of the host is full."""


class DeviceLost(Error):
    """The device is lost, or work did not finish in time."""


class DeviceFailed(Error):
    """Another error of a Vulkan call, which the text names."""


class MissingLibrary(Error, ImportError):
    """libvkmoye_c, or what compiles kernels, was not found."""


# By vkmoye_status of vkmoye.h.
BY_STATUS = {
    1: ArgumentError,
    2: CannotRun,
    3: NoDevice,
    4: OutOfMemory,
    5: DeviceLost,
    6: DeviceFailed,
}
