# SPDX-License-Identifier: MIT
"""Kernels from files and by name, and what is refused."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import vkmoye


def emitted(*words):
    return subprocess.run([os.environ["TESTED_PROGRAM"], "emit", *words, "--kernel", "-"], check=True,
                          capture_output=True).stdout


class Kernels(unittest.TestCase):
    def test_a_file_says_what_it_takes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "product.json"
            path.write_bytes(emitted("gemm/simt", "--type", "f16,f32,f32"))
            kernel = vkmoye.load(path)
        self.assertEqual([(a.name, a.type, a.is_result) for a in kernel.arrays],
                         [("a", "f16", False), ("b", "f16", False), ("c", "f32", True)])
        a, b = np.ones((3, 4), np.float16), np.ones((5, 4), np.float16)
        c = kernel(a, b, m=3, n=5, k=4, alpha=0.5)
        np.testing.assert_array_equal(c, np.full((3, 5), 2.0, np.float32))
        self.assertGreater(kernel.microseconds, 0)

    def test_a_device_takes_its_variant(self):
        rows = np.arange(12, dtype=np.float32).reshape(3, 4)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sum.json"
            path.write_bytes(emitted("reduce/sum", "--subgroup-size", "32,64,16,8,1"))
            np.testing.assert_array_equal(vkmoye.load(path)(rows, rows=3, cols=4), rows.sum(axis=1))
            path.write_bytes(emitted("reduce/sum", "--subgroup-size", "128,2"))
            with self.assertRaisesRegex(vkmoye.CannotRun, "can run none of 2 variants"):
                vkmoye.load(path)(rows, rows=3, cols=4)

    def test_a_size_that_is_a_constant_is_given_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "product.json"
            path.write_bytes(emitted("gemm/simt", "--specialise", "n,k"))
            product = vkmoye.load(path, specialised={"n": 5, "k": 4})
            c = product(np.ones((3, 4), np.float32), np.ones((5, 4), np.float32), m=3, alpha=1)
            np.testing.assert_array_equal(c, np.full((3, 5), 4.0, np.float32))
            with self.assertRaisesRegex(vkmoye.ArgumentError, "(?s)product.json: .*'n'"):
                vkmoye.load(path)

    def test_a_plan_has_its_sizes(self):
        plan = vkmoye.compile("gemm/simt", "--split-k 2 --size 3x5x64")
        self.assertEqual(plan.arguments, [])
        c = plan(np.ones((3, 64), np.float32), np.ones((5, 64), np.float32))
        np.testing.assert_array_equal(c, np.full((3, 5), 64.0))

    def test_a_changed_array_is_one_of_the_device(self):
        kernel = vkmoye.compile("gemm/simt", "--beta 1")
        a = np.ones((2, 2), np.float32)
        sizes = {"m": 2, "n": 2, "k": 2, "alpha": 1, "beta": 1}
        with self.assertRaisesRegex(vkmoye.ArgumentError, "c: is changed by the kernel"):
            kernel(a, a, a, **sizes)
        c = vkmoye.array(a)
        self.assertIs(kernel(a, a, c, **sizes), c)
        np.testing.assert_array_equal(c.numpy(), np.full((2, 2), 3.0))

    def test_all_reasons_are_given_at_once(self):
        kernel = vkmoye.compile("norm/rms")
        with self.assertRaises(vkmoye.ArgumentError) as caught:
            kernel(np.ones((2, 3), np.float64), np.ones(4, np.float32), rows=2, cols=3)
        self.assertEqual(caught.exception.reasons, ["src: has elements of float64, needs f32",
                                                    "weight: has the shape (4,), needs (3,)"])
        with self.assertRaisesRegex(vkmoye.ArgumentError, r"src: has the shape \(3, 2\), needs \(2, 3\)"):
            kernel(np.ones((3, 2), np.float32), np.ones(3, np.float32), rows=2, cols=3)
        for rows in (2**64 + 2, "2", None):
            with self.assertRaisesRegex(vkmoye.ArgumentError, "argument rows: .* is not a number of 64 bits"):
                kernel(np.ones((2, 3), np.float32), np.ones(3, np.float32), rows=rows, cols=3)
        with self.assertRaisesRegex(vkmoye.ArgumentError, r"takes 2 arrays \(src, weight\), got 1"):
            kernel(np.ones((2, 3), np.float32), rows=2, cols=3)
        with self.assertRaisesRegex(vkmoye.ArgumentError, "cols"):
            kernel(np.ones((2, 3), np.float32), np.ones(3, np.float32), rows=2)

    def test_a_kernel_may_be_called_by_several_threads(self):
        with ThreadPoolExecutor(4) as pool:  # compiled once
            kernel, *others = pool.map(lambda _: vkmoye.compile("reduce/sum", "--threads 64"), range(4))
        self.assertTrue(all(other is kernel for other in others))
        rows = [np.full((3, 50), i, np.float32) for i in range(40)]
        with ThreadPoolExecutor(4) as pool:
            sums = list(pool.map(lambda x: kernel(x, rows=3, cols=50), rows))
        for i, found in enumerate(sums):
            np.testing.assert_array_equal(found, np.full(3, 50.0 * i))

    def test_what_cannot_be_is_refused(self):
        x = np.ones((2, 3), np.float32)
        refused = [
            (lambda: vkmoye.matmul(x, x), "shapes"),
            (lambda: vkmoye.matmul(x, x.T.astype(np.float64)), "a has elements of f32, b of f64"),
            (lambda: vkmoye.softmax(np.ones(3, "datetime64[s]")), "vkmoye has no such type"),
            (lambda: vkmoye.softmax(np.ones((2, 3), np.int64)), "does not support i64"),
            (lambda: vkmoye.softmax(x > 0), "for a mask, use numpy.where"),
            (lambda: vkmoye.softmax(np.float32(1)), "needs an axis"),
            (lambda: vkmoye.transpose(x, (0, 0)), "each once"),
            (lambda: vkmoye.attention(x, x, np.ones((3, 3), np.float32)), "do not fit together"),
            (lambda: vkmoye.attention(x, x, x, mask=np.zeros((2, 2))), "write mask.astype"),
            (lambda: vkmoye.attention(x, x, x, mask=x[:1]), r"needs \(1, 1, 2, 2\)"),
            (lambda: vkmoye.compile("gemm/simt", "--a 'k"), "No closing quotation"),
            (lambda: vkmoye.compile("gemm/smit"), "did you mean 'gemm/simt'"),
            (lambda: vkmoye.compile("gemm/simt", "--tile 7x7"), "tile"),
            (lambda: vkmoye.compile("--help"), "--help"),
            (lambda: vkmoye.load("/nowhere.json"), "/nowhere.json: No such file"),
            (lambda: vkmoye.Kernel(b"{}"), "none of \"vkmoye kernel\""),
            (lambda: vkmoye.Device("no such device"), "no device is called 'no such device'"),
        ]
        for call, text in refused:
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                call()

    def test_a_missing_library_is_named(self):
        code = "import vkmoye\ntry: vkmoye.default_device()\nexcept vkmoye.MissingLibrary as e: print(e)"
        out = subprocess.run([sys.executable, "-c", code], env={**os.environ, "VKMOYE_LIBRARY": "/nowhere.so"},
                             check=True, capture_output=True, text=True).stdout
        self.assertIn("set VKMOYE_LIBRARY to the file", out)
        self.assertIn("/nowhere.so", out)

    def test_a_program_in_the_current_folder_is_not_run(self):
        code = "import vkmoye\ntry: vkmoye.compile('gemm/simt')\nexcept vkmoye.MissingLibrary as e: print(e)"
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder) / "vkmoye-bench"
            own.write_text("#!/bin/sh\ntouch was-run\n")
            own.chmod(0o755)
            pathlib.Path(folder, "libvkmoye_c.so.1").symlink_to(os.environ["VKMOYE_LIBRARY"])
            environment = {**os.environ, "VKMOYE_LIBRARY": "libvkmoye_c.so.1", "LD_LIBRARY_PATH": folder,
                           "PATH": "/nowhere", "VKMOYE_COMPILE_LIBRARY": "/nowhere.so"}
            out = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, check=True,
                                 capture_output=True, text=True).stdout
            self.assertFalse(pathlib.Path(folder, "was-run").exists())
        self.assertIn("set VKMOYE_COMPILE_LIBRARY or VKMOYE_PROGRAM to it\n- /nowhere.so", out)

    def test_the_program_compiles_where_the_library_is_not_installed(self):
        code = ("import vkmoye; print(vkmoye.compile('copy/simple', '--type f16').name)\n"
                "try: vkmoye.compile('copy/simpel')\nexcept vkmoye.ArgumentError as e: print(e)")
        for library, program in (("/nowhere.so", ""), (os.environ["VKMOYE_COMPILE_LIBRARY"],) * 2):
            environment = {**os.environ, "VKMOYE_COMPILE_LIBRARY": library,
                           "PATH": os.path.dirname(os.environ["TESTED_PROGRAM"]),
                           **({"VKMOYE_PROGRAM": os.environ["TESTED_PROGRAM"]} if program else {})}
            out = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True,
                                 text=True).stdout
            self.assertRegex(out, "^copy/simple\n.*did you mean 'copy/simple'")

    def test_a_forked_process_says_that_it_cannot(self):
        vkmoye.default_device()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                vkmoye.softmax(np.ones((1, 2), np.float32))
            except vkmoye.Error as error:
                os.write(writing, str(error).encode())
            os._exit(0)
        os.waitpid(child, 0)
        self.assertIn("'spawn'", os.read(reading, 4096).decode())


if __name__ == "__main__":
    unittest.main()
