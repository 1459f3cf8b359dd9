# SPDX-License-Identifier: MIT
"""The functions, beside NumPy's results."""

import unittest

import numpy as np
import vkmoye

RNG = np.random.default_rng(5)


def some(shape, dtype=np.float32):
    if np.issubdtype(dtype, np.integer):
        return RNG.integers(-9, 10, shape).astype(dtype)
    return RNG.uniform(-1, 1, shape).astype(dtype)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Functions(unittest.TestCase):
    def near(self, a, b, tolerance=1e-5):
        self.assertEqual(a.shape, b.shape)
        np.testing.assert_allclose(a.astype(np.float64), b, rtol=tolerance, atol=tolerance)

    def test_matmul_takes_every_shape_and_order(self):
        for m, n, k in ((1, 1, 1), (33, 65, 129)):
            a, b = some((m, k)), some((k, n))
            self.near(vkmoye.matmul(a, b), a.astype(np.float64) @ b)
            self.near(vkmoye.matmul(a, np.asfortranarray(b)), a.astype(np.float64) @ b)
            self.near(vkmoye.matmul(a[::-1], b[:, ::-1]), a[::-1].astype(np.float64) @ b[:, ::-1])

    def test_matmul_takes_batches(self):
        a, b, one = some((2, 3, 4, 5)), some((2, 3, 5, 6)), some((5, 6))
        self.near(vkmoye.matmul(a, b), a.astype(np.float64) @ b)
        self.near(vkmoye.matmul(a, one), a.astype(np.float64) @ one)

    def test_matmul_sums_in_wider_types(self):
        a, b = some((9, 33), np.int8), some((33, 17), np.int8)
        product = vkmoye.matmul(a, b)
        self.assertEqual(product.dtype, np.int32)
        np.testing.assert_array_equal(product, a.astype(np.int32) @ b)
        a, b = some((9, 33), np.float16), some((33, 17), np.float16)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        self.assertEqual(vkmoye.matmul(a, b).dtype, np.float16)
        self.near(vkmoye.matmul(a, b), exact, 2e-3)
        for kind in ("f32", np.float32, "float32"):
            self.near(vkmoye.matmul(a, b, dtype=kind), exact)

    def test_empty_arrays_give_empty_results(self):
        self.assertEqual(vkmoye.matmul(some((0, 4)), some((4, 3))).shape, (0, 3))
        self.assertEqual(vkmoye.matmul(some((0, 2, 4)), some((0, 4, 3))).shape, (0, 2, 3))
        np.testing.assert_array_equal(vkmoye.matmul(some((2, 0)), some((0, 3))), np.zeros((2, 3)))
        self.assertEqual(vkmoye.softmax(some((0, 4))).shape, (0, 4))

    def test_softmax_and_norms_follow_the_last_axis(self):
        for shape in ((7,), (3, 100), (2, 3, 33)):
            x, w, b = some(shape), some(shape[-1:]), some(shape[-1:])
            self.near(vkmoye.softmax(x * 30), softmax(x.astype(np.float64) * 30))
            rms = np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5)
            self.near(vkmoye.rms_norm(x, w), x / rms * w)
            centred = x - x.astype(np.float64).mean(-1, keepdims=True)
            deviation = np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-3)
            self.near(vkmoye.layer_norm(x, w, b, epsilon=1e-3), centred / deviation * w + b, 1e-4)

    def test_attention_has_heads_masks_and_scale(self):
        q, k, v = some((2, 4, 5, 16)), some((2, 2, 9, 16)), some((2, 2, 9, 16))
        keys, values = (np.repeat(x, 2, axis=1).astype(np.float64) for x in (k, v))
        mask = np.where(RNG.uniform(size=(2, 1, 5, 9)) < 0.3, -np.inf, some((2, 1, 5, 9))).astype(np.float32)
        mask[..., 0] = 0  # each query sees a key
        scores = q.astype(np.float64) @ keys.swapaxes(-1, -2)
        self.near(vkmoye.attention(q, k, v), softmax(scores / 4) @ values)
        self.near(vkmoye.attention(q, k, v, scale=0.5, mask=mask), softmax(scores * 0.5 + mask) @ values)
        hidden = np.where(np.arange(9) > np.arange(5)[:, None] + 4, -np.inf, 0)
        self.near(vkmoye.attention(q, k, v, causal=True), softmax(scores / 4 + hidden) @ values)
        swapped = np.zeros((9, 5), np.float32)
        for wrong in (swapped, swapped.reshape(-1), swapped.reshape(1, 1, 1, 5, 9)):
            with self.assertRaisesRegex(vkmoye.ArgumentError, r"the mask has the shape .*, needs \(1 or 2, 1 or 4, 5, 9\)"):
                vkmoye.attention(q, k, v, mask=wrong)
        with self.assertRaisesRegex(vkmoye.ArgumentError, "scale 0"):
            vkmoye.attention(q, k, v, scale=0)
        one = vkmoye.attention(q[0, 0], k[0, 0], v[0, 0])
        self.near(one, (softmax(scores / 4) @ values)[0, 0])

    def test_axes_move_as_in_numpy(self):
        for dtype in (np.float32, np.uint8, np.complex64):
            x = (some((3, 4, 5)) * 99).astype(dtype)
            for axes in (None, (-1, 0, 1)):
                np.testing.assert_array_equal(vkmoye.transpose(x, axes), x.transpose(axes))
            np.testing.assert_array_equal(vkmoye.transpose(x[0]), x[0].T)
            np.testing.assert_array_equal(vkmoye.transpose(x[0, 0]), x[0, 0])
            np.testing.assert_array_equal(vkmoye.relayout(x, (1, 2, 0)), x.transpose(1, 2, 0))

    def test_arrays_of_the_device_stay_there(self):
        a, b = vkmoye.array(some((4, 8))), vkmoye.array(some((8, 8)))
        c = vkmoye.softmax(vkmoye.matmul(a, b))
        self.assertIsInstance(c, vkmoye.Array)
        self.near(c.numpy(), softmax(a.numpy().astype(np.float64) @ b.numpy()))
        self.near(np.asarray(c.reshape(2, -1)), c.numpy().reshape(2, 16))
        for wrong in ((5, 5), (-1, -1), (-4, -8), (0, -1)):
            with self.assertRaisesRegex(vkmoye.ArgumentError, "has 32 elements"):
                c.reshape(*wrong)

    def test_arrays_keep_their_type_and_shape(self):
        x = some((3, 4))
        np.testing.assert_array_equal(vkmoye.array(x.astype(">f4")).numpy(), x)
        np.testing.assert_array_equal(vkmoye.array(x[:, ::-1]).numpy(), x[:, ::-1])
        self.assertEqual(vkmoye.array(np.float32(3)).shape, ())
        bits = vkmoye.array(np.zeros((2, 2), np.uint16), "bf16")
        self.assertEqual(vkmoye.array(bits).type, "bf16")
        for values, kind in ((x.astype(np.int32), "f32"), (x, "i32"), (x.astype(np.float16), "bf16")):
            with self.assertRaisesRegex(vkmoye.ArgumentError, "the values are of"):
                vkmoye.array(values, kind)
        with self.assertRaisesRegex(vkmoye.ArgumentError, r"shape \(3, 4\): the values .* shape \(4, 3\)"):
            vkmoye.array(x).write(x.T)
        device = vkmoye.default_device()
        self.assertEqual(device.empty(5).shape, (5,))
        for wrong in ((-2, -3), (2**40, 2**40)):
            with self.assertRaises(vkmoye.Error):
                device.empty(wrong)

    def test_bits_stand_for_types_that_numpy_lacks(self):
        x = some((2, 64))
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)  # bf16, rounded down
        y = vkmoye.softmax(vkmoye.array(bits, "bf16")).numpy().view(np.uint16)
        exact = softmax((bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64))
        self.near((y.astype(np.uint32) << 16).view(np.float32), exact, 1e-2)


if __name__ == "__main__":
    unittest.main()
