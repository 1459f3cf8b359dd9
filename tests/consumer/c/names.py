# SPDX-License-Identifier: MIT
# What a file takes, one line each: names.py LIBVKMOYE_C.so FILE.json. Needs no device.
import ctypes, sys

vkmoye = ctypes.CDLL(sys.argv[1])
vkmoye.vkmoye_last_error.restype = ctypes.c_char_p
file = ctypes.c_void_p()
if vkmoye.vkmoye_read_file(sys.argv[2].encode(), ctypes.byref(file)) != 0:
    sys.exit(vkmoye.vkmoye_last_error().decode())
for kind in ("array", "argument", "specialised"):
    name = getattr(vkmoye, f"vkmoye_{kind}_name")
    name.restype = ctypes.c_char_p
    count = getattr(vkmoye, f"vkmoye_{kind}_count")(file)
    print(kind, *(name(file, i).decode() for i in range(count)))
vkmoye.vkmoye_free_file(file)
