/* SPDX-License-Identifier: MIT */
/* C = A * B^T through a kernel file: multiply GEMM.json. Exit status 0: it is right. */
#include <stdio.h>
#include <vkmoye/vkmoye.h>

enum { kM = 33, kN = 65, kK = 17 };

/* Each of the buffers as a whole. */
#define arrays(a, b, c) ((vkmoye_range[]){{a, 0, 0, 0}, {b, 0, 0, 0}, {c, 0, 0, 0}})

int main(int count, char** arguments) {
  static float a[kM * kK], b[kN * kK], c[kM * kN];
  vkmoye_device* device = NULL;
  vkmoye_file* gemm = NULL;
  vkmoye_recorder* recorder = NULL;
  vkmoye_buffer *left = NULL, *right = NULL, *product = NULL;
  const vkmoye_argument sizes[] = {{"m", {kM, 0, 0, 0}},
                                   {"n", {kN, 0, 0, 0}},
                                   {"k", {kK, 0, 0, 0}},
                                   {"alpha", {0, 1.0, 1, 0}}};
  double microseconds = 0;
  int wrong = 0;
  for (int i = 0; i < kM * kK; ++i) a[i] = (float)(i % 5);
  for (int i = 0; i < kN * kK; ++i) b[i] = (float)(i % 7);
  if (count != 2 || vkmoye_read_file(arguments[1], &gemm) ||
      vkmoye_open_device(NULL, NULL, &device) ||
      vkmoye_make_recorder(device, gemm, NULL, &recorder) ||
      vkmoye_make_buffer(device, sizeof a, &left) ||
      vkmoye_make_buffer(device, sizeof b, &right) ||
      vkmoye_make_buffer(device, sizeof c, &product) ||
      vkmoye_write_buffer(left, 0, a, sizeof a) || vkmoye_write_buffer(right, 0, b, sizeof b) ||
      vkmoye_run(recorder, arrays(left, right, product), 3, sizes, 4, &microseconds) ||
      vkmoye_read_buffer(product, 0, c, sizeof c)) {
    fprintf(stderr, "%s\n", vkmoye_last_error());
    return 1;
  }
  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < kN; ++n) {
      float sum = 0;
      for (int k = 0; k < kK; ++k) sum += a[m * kK + k] * b[n * kK + k];
      wrong += c[m * kN + n] != sum; /* whole numbers: no step rounds */
    }
  }
  printf("%s: %d of %d elements are wrong, %.1f us\n", vkmoye_device_name(device), wrong,
         kM * kN, microseconds);
  vkmoye_free_buffer(left);
  vkmoye_free_buffer(right);
  vkmoye_free_buffer(product);
  vkmoye_free_recorder(recorder);
  vkmoye_free_file(gemm);
  vkmoye_free_device(device);
  return wrong != 0;
}
