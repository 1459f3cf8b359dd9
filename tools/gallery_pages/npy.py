# SPDX-License-Identifier: MIT
"""Arrays in NumPy's files, without NumPy: one axis after the other, the last one contiguous."""
import ast
import struct

# NumPy's name of a type, and that of the module struct.
TYPES = {"f32": ("<f4", "f"), "f16": ("<f2", "e"), "u32": ("<u4", "I"), "u8": ("|u1", "B")}


def write(path, kind, shape, values):
    """Writes `values`, of the vkmoye type `kind`, as an array of that shape."""
    name, code = TYPES[kind]
    extents = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': ({extents}), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def read(path):
    """The values of an array, in one list."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    code = next(code for name, code in TYPES.values() if name == header["descr"])
    values = data[10 + length:]
    return list(struct.unpack(f"<{len(values) // struct.calcsize(code)}{code}", values))
