# SPDX-License-Identifier: MIT
"""The program with the kernels: its commands, and what they print."""
import json
import pathlib
import subprocess
import tempfile

import npy


class Failed(Exception):
    """A command that failed, with what it printed."""


class Program:
    """`path` is a program of vkmoye::bench, `device` as for --device; empty: the best one."""

    def __init__(self, path, device=""):
        self.path = path
        self.device = ["--device", device] if device else []

    def text(self, *words):
        """What the command prints."""
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *words):
        """What the command prints with --format json."""
        return json.loads(self.text(*words, "--format", "json"))

    def apply(self, kernel, arrays, results=1, folder=None):
        """The results of a kernel for `arrays`, each a type, a shape and values."""
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            inputs, outputs = [], []
            for number, (kind, shape, values) in enumerate(arrays):
                inputs.append(pathlib.Path(scratch, f"in{number}.npy"))
                npy.write(inputs[-1], kind, shape, values)
            for number in range(results):
                outputs.append(pathlib.Path(scratch, f"out{number}.npy"))
            # Without --type: the types are those of the arrays.
            self.text("apply", f"models/{kernel}", "--in", *inputs, "--out", *outputs, *self.device)
            found = [npy.read(output) for output in outputs]
        return found[0] if results == 1 else found
