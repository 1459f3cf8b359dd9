# SPDX-License-Identifier: MIT
"""Functions on arrays. Each takes NumPy arrays and returns one, or takes and returns arrays of the device.

Arrays are read in C order: the last axis is contiguous. Others are copied first, except the second operand of matmul,
which may be in either order.
"""

import math

import numpy as np

from .device import Array, default_device
from .errors import ArgumentError
from .kernel import compile
from .types import dtype_of, name_of, type_of

_ACCUMULATORS = {"f16": "f32", "bf16": "f32", "e4m3": "f32", "e5m2": "f32", "i8": "i32", "u8": "u32"}


def _type_of(values):
    return values.type if isinstance(values, Array) else name_of(np.asarray(values).dtype)


def _device_of(*arrays):
    for one in arrays:
        if isinstance(one, Array):
            return one.device
    return default_device()


def _shape_of(values):
    return tuple(values.shape) if isinstance(values, Array) else np.shape(values)


def _empty(shape, type, *arrays):
    device = any(isinstance(one, Array) for one in arrays)
    return _device_of(*arrays).empty(shape, type) if device else np.zeros(shape, dtype_of(type))


def matmul(a, b, dtype=None):
    """The matrix product a @ b: (.., m, k) and (.., k, n) give (.., m, n).

    Both have the same leading axes, or `b` has none; nothing is broadcast, and vectors need two axes. `dtype`: the type
    of the product, of NumPy or vkmoye. By default it is that of the operands, and for integers of 8 bits the 32-bit
    type in which they are summed. Elements of f16 and bf16 are summed in f32. A `b` that is the transpose of an array
    in C order is read as it is.

    >>> import numpy, vkmoye
    >>> vkmoye.matmul(numpy.eye(2, dtype=numpy.float32), numpy.array([[1, 2], [3, 4]], numpy.float32))
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    left, right = _shape_of(a), _shape_of(b)
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2] or right[:-2] not in ((), left[:-2]):
        raise ArgumentError(f"matmul: shapes {left} and {right} are not (.., m, k) and (.., k, n)")
    operands = _type_of(a), _type_of(b)
    if operands[0] != operands[1]:
        raise ArgumentError(f"matmul: a has elements of {operands[0]}, b of {operands[1]}")
    (m, k), n = left[-2:], right[-1]
    sums = _ACCUMULATORS.get(operands[0], operands[0])
    result = type_of(dtype) if dtype is not None else sums if operands[0] in ("i8", "u8") else operands[0]
    batch = math.prod(left[:-2])
    if batch == 0:
        return _empty(left[:-1] + (n,), result, a, b)
    order = "n"
    if not isinstance(b, Array):
        b = np.asarray(b)
        columns = b.swapaxes(-1, -2)
        if columns.flags.c_contiguous and not b.flags.c_contiguous:
            b, order = columns, "k"
    if right[:-2] == () and left[:-2] != ():  # one b for all: more rows of a
        m, batch = m * batch, 1
    options = ["--type", f"{operands[0]},{sums},{result}", "--b", order, "--size", f"{m}x{n}x{k}"]
    if batch != 1:
        options += ["--batch", batch]
    kernel = compile("gemm/auto", options, _device_of(a, b))
    return kernel.run((a, b), {}, any_shape=True).reshape(left[:-1] + (n,))


def _by_rows(kernel, x, *others, **options):
    shape = _shape_of(x)
    if not shape:
        raise ArgumentError(f"{kernel}: x needs an axis")
    words = ["--type", _type_of(x)]
    for name, value in options.items():
        words += ["--" + name, value]
    rows = math.prod(shape[:-1])
    for one in others:
        if _shape_of(one) != shape[-1:]:
            raise ArgumentError(f"{kernel}: a weight or bias has the shape {_shape_of(one)}, needs {shape[-1:]}")
    compiled = compile(kernel, words, _device_of(x, *others))
    return compiled.run((x, *others), {"rows": rows, "cols": shape[-1]}, any_shape=True).reshape(shape)


def softmax(x):
    """exp(x) / sum(exp(x)) along the last axis.

    >>> import numpy, vkmoye
    >>> vkmoye.softmax(numpy.zeros((1, 4), numpy.float32))
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    return _by_rows("softmax/rows", x)


def rms_norm(x, weight, epsilon=1e-5):
    """x / sqrt(mean(x * x) + epsilon) * weight along the last axis."""
    return _by_rows("norm/rms", x, weight, epsilon=epsilon)


def layer_norm(x, weight, bias, epsilon=1e-5):
    """(x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias along the last axis."""
    return _by_rows("norm/layer", x, weight, bias, epsilon=epsilon)


def attention(q, k, v, causal=False, scale=None, mask=None):
    """softmax(q @ k^T * scale + mask) @ v, for q (.., heads, queries, width), k and v (.., heads, keys, width).

    k and v may have fewer heads, which divide those of q. `causal`: query i sees key j if j <= i + keys - queries.
    `scale`: 1 / sqrt(width) if None, else from 1e-6 to 1e6. `mask`: (1 or batch, 1 or heads, queries, keys), of f32 or
    of the type of q, added to the scores; -inf hides a key. Leading axes may be left out.
    The width is a multiple of 8. A query that sees no key gives 0.
    """
    if scale == 0:
        raise ArgumentError("attention: scale 0; it must be from 1e-6 to 1e6, or None for 1 / sqrt(width)")
    shapes = [_shape_of(x) for x in (q, k, v)]
    if len({len(shape) for shape in shapes}) != 1 or not 2 <= len(shapes[0]) <= 4:
        raise ArgumentError(f"attention: q, k and v have the shapes {', '.join(map(str, shapes))}; each needs the same "
                            "number of axes: (.., heads, rows, width)")
    (batch, heads, queries, width), keys_shape, values_shape = ((1, 1, 1, 1)[len(s):] + s for s in shapes)
    if keys_shape[0] != batch or keys_shape[:3] != values_shape[:3] or keys_shape[3] != width or \
            heads % max(1, keys_shape[1]) != 0:
        raise ArgumentError(f"attention: shapes {', '.join(map(str, shapes))} of q, k and v do not fit together")
    options = ["--type", _type_of(q), "--size", f"{queries}x{keys_shape[2]}x{width}", "--heads", heads,
               "--kv-heads", keys_shape[1], "--batch", batch]
    if values_shape[3] != width:
        options += ["--value-width", values_shape[3]]
    options += ["--causal"] if causal else []
    options += ["--scale", repr(float(scale))] if scale is not None else []
    arrays = [q, k, v]
    if mask is not None:
        of_mask = (1, 1, 1, 1)[len(_shape_of(mask)):] + _shape_of(mask)
        if len(_shape_of(mask)) < 2 or len(of_mask) != 4 or of_mask[2:] != (queries, keys_shape[2]) or \
                of_mask[0] not in (1, batch) or of_mask[1] not in (1, heads):
            one_or = [f"1 or {count}" if count > 1 else "1" for count in (batch, heads)]
            raise ArgumentError(f"attention: the mask has the shape {_shape_of(mask)}, needs ({', '.join(one_or)}, "
                                f"{queries}, {keys_shape[2]})")
        if _type_of(mask) not in ("f32", _type_of(q)):
            raise ArgumentError(f"attention: the mask has elements of {_type_of(mask)}, needs f32 or the type of q, "
                                f"{_type_of(q)}; write mask.astype(q.dtype)")
        options += ["--mask", _type_of(mask), "--mask-batch", of_mask[0], "--mask-heads", of_mask[1]]
        arrays.append(mask)
    kernel = compile("attention/auto", options, _device_of(*arrays))
    return kernel.run(arrays, {}, any_shape=True).reshape(shapes[0][:-1] + (values_shape[3],))


def transpose(x, axes=None):
    """A copy of x with its axes in another order, in C order; by default reversed, as numpy.transpose."""
    shape = _shape_of(x)
    order = tuple(reversed(range(len(shape)))) if axes is None else tuple(a % len(shape) for a in axes)
    if sorted(order) != list(range(len(shape))):
        raise ArgumentError(f"transpose: axes {axes} are not those of {shape}, each once")
    if len(shape) == 2 and order == (1, 0):
        kernel = compile("transpose/auto", ["--type", _type_of(x)], _device_of(x))
        return kernel(x, rows=shape[0], cols=shape[1])
    return relayout(x, order)


def relayout(x, axes):
    """A copy of x with its axes in the order `axes`: element (i, j, k) of x is (k, i, j) of relayout(x, (2, 0, 1))."""
    shape = _shape_of(x)
    order = [axis + len(shape) if axis < 0 else axis for axis in axes]
    out = tuple(shape[axis] for axis in order if axis < len(shape))
    if len(shape) < 2 and order == list(range(len(shape))):
        return _device_of(x).array(x) if isinstance(x, Array) else np.array(x)
    options = ["--type", _type_of(x), "--size", "x".join(map(str, shape)), "--permute", ",".join(map(str, order))]
    return compile("relayout", options, _device_of(x)).run((x,), {}, any_shape=True).reshape(out)
