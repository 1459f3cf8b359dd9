/* SPDX-License-Identifier: MIT */
/* The rows of C = A * B^T that a number in a buffer counts, through a plan for at most 33: rows ROWS.json. Exit status
   0: they are right, the others are as they were, and 34 rows are refused. */
#include <stdio.h>
#include <vkmoye/vkmoye.h>

enum { kM = 33, kN = 65, kK = 17 };

int main(int count, char** arguments) {
  static float a[kM * kK], b[kN * kK], c[kM * kN];
  float* const host[] = {a, b, c};
  const size_t bytes[] = {sizeof a, sizeof b, sizeof c, 4, 4};
  const uint32_t rows[] = {20, 34}, expected[] = {0, 1};
  vkmoye_device* device = NULL;
  vkmoye_file* plan = NULL;
  vkmoye_recorder* recorder = NULL;
  vkmoye_buffer* buffers[5] = {NULL, NULL, NULL, NULL, NULL};
  vkmoye_range ranges[5];
  int wrong = 0;
  for (int i = 0; i < kM * kK; ++i) a[i] = (float)(i % 5);
  for (int i = 0; i < kN * kK; ++i) b[i] = (float)(i % 7);
  if (count != 2 || vkmoye_read_file(arguments[1], &plan) || vkmoye_array_count(plan) != 5 ||
      vkmoye_open_device(NULL, NULL, &device) ||
      vkmoye_make_recorder(device, plan, NULL, &recorder)) {
    goto failed;
  }
  for (int i = 0; i < 5; ++i) {
    if (vkmoye_make_buffer(device, bytes[i], &buffers[i])) goto failed;
    ranges[i] = (vkmoye_range){buffers[i], 0, 0, 0};
  }
  for (int run = 0; run < 2; ++run) {
    uint32_t status = 77;
    for (int i = 0; i < kM * kN; ++i) c[i] = -1;
    for (int i = 0; i < 3; ++i) {
      if (vkmoye_write_buffer(buffers[i], 0, host[i], bytes[i])) goto failed;
    }
    if (vkmoye_write_buffer(buffers[3], 0, &rows[run], 4) ||
        vkmoye_run(recorder, ranges, 5, NULL, 0, NULL) ||
        vkmoye_read_buffer(buffers[2], 0, c, sizeof c) ||
        vkmoye_read_buffer(buffers[4], 0, &status, 4)) {
      goto failed;
    }
    wrong += status != expected[run];
    for (int m = 0; m < kM; ++m) {
      for (int n = 0; n < kN; ++n) {
        float sum = 0;
        for (int k = 0; k < kK; ++k) sum += a[m * kK + k] * b[n * kK + k];
        wrong += c[m * kN + n] != (run == 0 && m < (int)rows[run] ? sum : -1);
      }
    }
  }
  printf("%s: %d of %d elements are wrong\n", vkmoye_device_name(device), wrong, 2 * kM * kN);
  for (int i = 0; i < 5; ++i) vkmoye_free_buffer(buffers[i]);
  vkmoye_free_recorder(recorder);
  vkmoye_free_file(plan);
  vkmoye_free_device(device);
  return wrong != 0;
failed:
  fprintf(stderr, "%s\n", vkmoye_last_error());
  return 1;
}
