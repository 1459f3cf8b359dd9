# SPDX-License-Identifier: MIT
# C = A * B^T through a plan: multiply.py LIBVKMOYE_C.so PRODUCT.json M N K. Arrays are those of NumPy where it is
# installed, else of Python's array module: whatever has a buffer can be passed.
import ctypes, sys
from array import array
try:
    import numpy
    floats = lambda values: numpy.array(values, dtype=numpy.float32)
except ImportError:
    floats = lambda values: array("f", values)

vkmoye = ctypes.CDLL(sys.argv[1])
vkmoye.vkmoye_last_error.restype = ctypes.c_char_p
Range = type("Range", (ctypes.Structure,), {"_fields_": [
    ("buffer", ctypes.c_void_p), ("vk_buffer", ctypes.c_uint64), ("offset", ctypes.c_uint64), ("bytes", ctypes.c_uint64)]})

def call(name, *arguments):
    if getattr(vkmoye, "vkmoye_" + name)(*arguments) != 0:
        sys.exit(vkmoye.vkmoye_last_error().decode())

def made(name, *arguments):
    handle = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(handle))
    return handle

def memory(values):  # its address and its size
    view = memoryview(values).cast("B")
    return (ctypes.c_char * view.nbytes).from_buffer(view), ctypes.c_size_t(view.nbytes)

m, n, k = map(int, sys.argv[3:6])
a, b, c = (floats([i % p for i in range(size)]) for p, size in ((5, m * k), (7, n * k), (3, m * n)))
device = made("open_device", None, None)
product = made("make_recorder", device, made("read_file", sys.argv[2].encode()), None)
buffers = [made("make_buffer", device, ctypes.c_uint64(memory(values)[1].value)) for values in (a, b, c)]
for buffer, values in zip(buffers, (a, b)):
    call("write_buffer", buffer, ctypes.c_uint64(0), *memory(values))
call("run", product, (Range * 3)(*[Range(buffer, 0, 0, 0) for buffer in buffers]), 3, None, 0, None)
call("read_buffer", buffers[2], ctypes.c_uint64(0), *memory(c))
wrong = sum(c[i * n + j] != sum(a[i * k + l] * b[j * k + l] for l in range(k)) for i in range(m) for j in range(n))
print(f"{wrong} of {m * n} elements are wrong")
sys.exit(0 if wrong == 0 else 1)
