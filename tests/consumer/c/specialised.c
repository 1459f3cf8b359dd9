/* SPDX-License-Identifier: MIT */
/* C = A * B^T for several n and k by one SPIR-V, of which they are specialisation constants:
   specialised SPECIALISED.json PRODUCT.json. Exit status 0: all elements are right, the file lists n and k, and wrong
   values are refused. */
#include <stdio.h>
#include <string.h>
#include <vkmoye/vkmoye.h>

enum { kM = 33, kMaxN = 65, kMaxK = 17 };

static int failures = 0;

static void refused(vkmoye_status status, const char* why) {
  if (status == VKMOYE_BAD_ARGUMENT && strstr(vkmoye_last_error(), why) != NULL) return;
  printf("not refused with '%s': status %d, %s\n", why, (int)status, vkmoye_last_error());
  ++failures;
}

static void expect_true(int line, int condition) {
  if (condition) return;
  printf("line %d: is false\n", line);
  ++failures;
}
#define HOLDS(condition) expect_true(__LINE__, condition)

/* A specialised size is listed as such, in the order of its file, and not as an argument. */
static void listed_names(const vkmoye_file* file, const vkmoye_file* plan) {
  HOLDS(vkmoye_specialised_count(file) == 2);
  HOLDS(strcmp(vkmoye_specialised_name(file, 0), "n") == 0);
  HOLDS(strcmp(vkmoye_specialised_name(file, 1), "k") == 0);
  HOLDS(vkmoye_specialised_name(file, 2) == NULL);
  for (uint32_t i = 0; i < vkmoye_argument_count(file); ++i) {
    HOLDS(strcmp(vkmoye_argument_name(file, i), "n") != 0);
    HOLDS(strcmp(vkmoye_argument_name(file, i), "k") != 0);
  }
  HOLDS(vkmoye_specialised_count(plan) == 0 && vkmoye_specialised_name(plan, 0) == NULL);
  HOLDS(vkmoye_specialised_count(NULL) == 0 && vkmoye_specialised_name(NULL, 0) == NULL);
}

/* The number of wrong elements, or -1. */
static int multiply(vkmoye_device* device, vkmoye_file* file, int n, int k) {
  static float a[kM * kMaxK], b[kMaxN * kMaxK], c[kM * kMaxN];
  const size_t bytes[] = {4u * kM * k, 4u * n * k, 4u * kM * n};
  const vkmoye_argument values[] = {{"n", {n, 0, 0, 0}}, {"k", {k, 0, 0, 0}}};
  const vkmoye_argument sizes[] = {{"m", {kM, 0, 0, 0}}, {"alpha", {0, 1.0, 1, 0}}};
  const vkmoye_argument other[] = {
      {"m", {kM, 0, 0, 0}}, {"alpha", {0, 1.0, 1, 0}}, {"n", {n + 1, 0, 0, 0}}};
  const vkmoye_recorder_options options = {.struct_size = sizeof options,
                                           .recordings = 1,
                                           .specialised = values,
                                           .specialised_count = 2};
  vkmoye_recorder* recorder = NULL;
  vkmoye_buffer* buffers[3] = {NULL, NULL, NULL};
  vkmoye_range ranges[3];
  int wrong = 0;
  for (int i = 0; i < kM * k; ++i) a[i] = (float)(i % 5);
  for (int i = 0; i < n * k; ++i) b[i] = (float)(i % 7);
  if (vkmoye_make_recorder(device, file, &options, &recorder)) return -1;
  for (int i = 0; i < 3; ++i) {
    if (vkmoye_make_buffer(device, bytes[i], &buffers[i])) return -1;
    ranges[i] = (vkmoye_range){buffers[i], 0, 0, 0};
  }
  if (vkmoye_write_buffer(buffers[0], 0, a, bytes[0]) ||
      vkmoye_write_buffer(buffers[1], 0, b, bytes[1]) ||
      vkmoye_run(recorder, ranges, 3, sizes, 2, NULL) ||
      vkmoye_read_buffer(buffers[2], 0, c, bytes[2])) {
    return -1;
  }
  for (int i = 0; i < kM * n; ++i) {
    float sum = 0;
    for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[i % n * k + j];
    wrong += c[i] != sum;
  }
  refused(vkmoye_run(recorder, ranges, 3, other, 3, NULL), "but the kernel was loaded for n =");
  for (int i = 0; i < 3; ++i) vkmoye_free_buffer(buffers[i]);
  vkmoye_free_recorder(recorder);
  return wrong;
}

int main(int count, char** arguments) {
  vkmoye_device* device = NULL;
  vkmoye_file *file = NULL, *plan = NULL;
  vkmoye_recorder* recorder = NULL;
  const vkmoye_argument values[] = {{"n", {0, 0, 0, 0}}};
  const vkmoye_recorder_options options = {
      .struct_size = sizeof options, .specialised = values, .specialised_count = 1};
  int wrong = 0;
  if (count != 3 || vkmoye_read_file(arguments[1], &file) ||
      vkmoye_read_file(arguments[2], &plan) || vkmoye_open_device(NULL, NULL, &device)) {
    fprintf(stderr, "%s\n", vkmoye_last_error());
    return 1;
  }
  listed_names(file, plan);
  for (int n = 1; n <= kMaxN; n += 32) {
    const int of_size = multiply(device, file, n, n == 1 ? 1 : kMaxK);
    if (of_size < 0) {
      fprintf(stderr, "%s\n", vkmoye_last_error());
      return 1;
    }
    wrong += of_size;
  }
  refused(vkmoye_make_recorder(device, file, NULL, &recorder), "'n' is a specialisation constant");
  refused(vkmoye_make_recorder(device, file, &options, &recorder), "n = 0 is outside 1..2^32-1");
  refused(vkmoye_make_recorder(device, plan, &options, &recorder),
          "takes no specialised arguments");
  printf("%s: %d elements are wrong, %d checks fail\n", vkmoye_device_name(device), wrong,
         failures);
  vkmoye_free_file(plan);
  vkmoye_free_file(file);
  vkmoye_free_device(device);
  return wrong != 0 || failures != 0;
}
