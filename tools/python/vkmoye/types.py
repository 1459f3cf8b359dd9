# SPDX-License-Identifier: MIT
"""Types of elements: their names in vkmoye, and what NumPy calls them."""

import numpy as np

from .errors import ArgumentError

# NumPy has no bf16, e4m3 or e5m2: such arrays contain their bits, unless the package ml_dtypes is installed.
_BITS = {"bf16": np.dtype(np.uint16), "e4m3": np.dtype(np.uint8), "e5m2": np.dtype(np.uint8)}
_NAMES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16,
    "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8,
    "u64": np.uint64, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8,
    "c64": np.complex64, "c128": np.complex128,
}
DTYPES = {name: np.dtype(kind) for name, kind in _NAMES.items()} | _BITS
try:
    import ml_dtypes

    DTYPES |= {"bf16": np.dtype(ml_dtypes.bfloat16), "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
               "e5m2": np.dtype(ml_dtypes.float8_e5m2)}
except ImportError:
    pass


def dtype_of(type):
    """The dtype of arrays of a type of vkmoye."""
    return DTYPES[type_of(type)]


def type_of(type):
    """A type's name in vkmoye: "f32" of "f32", numpy.float32 or "float32"."""
    if isinstance(type, str) and type in DTYPES:
        return type
    try:
        return name_of(np.dtype(type))
    except TypeError:
        raise ArgumentError(f"type {type}: unknown (known: {', '.join(DTYPES)})") from None


def name_of(dtype):
    """The name of a dtype in vkmoye: "f32" of numpy.float32."""
    wanted = np.dtype(dtype).newbyteorder("=")
    for name, known in DTYPES.items():
        if known == wanted and (name not in _BITS or known != _BITS[name]):
            return name
    hint = "; for a mask, use numpy.where(mask, 0, -numpy.inf).astype(q.dtype)" if wanted == np.bool_ else ""
    raise ArgumentError(f"dtype {wanted}: vkmoye has no such type (it has {', '.join(DTYPES)}){hint}")


def fits(dtype, name):
    """Whether arrays of `dtype` can be passed where the type `name` is expected."""
    return np.dtype(dtype).newbyteorder("=") in (dtype_of(name), _BITS.get(name, dtype_of(name)))
