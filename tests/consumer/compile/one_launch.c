/* SPDX-License-Identifier: MIT */
/* Sums a long row in one launch, whose workgroups wait for each other: one_launch GROUPS. GROUPS: the workgroups that the
   device runs at once. Exit status 0: the sum is right, and a device that is not known to run so many refuses the plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vkmoye/compile.h>
#include <vkmoye/vkmoye.h>

enum { kCount = 200000 };

/* The sum of kCount ones, by `groups` workgroups on a device that is said to run `resident` at once. */
static vkmoye_status sum_of(const char* groups, uint32_t resident, float* sum) {
  static float numbers[kCount];
  const char* options[] = {"--size", "1x200000", "--resident", groups, "--device", NULL};
  const vkmoye_open_options known = {.struct_size = sizeof known, .resident_groups = resident};
  const size_t bytes[] = {sizeof numbers, sizeof *sum};
  char* text = NULL;
  size_t text_bytes = 0;
  vkmoye_file* plan = NULL;
  vkmoye_device* device = NULL;
  vkmoye_recorder* recorder = NULL;
  vkmoye_buffer* buffers[2] = {NULL, NULL};
  vkmoye_range ranges[2];
  vkmoye_status status;
  for (int i = 0; i < kCount; ++i) numbers[i] = 1;
  status = vkmoye_open_device(NULL, &known, &device);
  options[5] = vkmoye_device_name(device);
  if (!status) status = vkmoye_compile("reduce/sum", options, 6, &text, &text_bytes);
  if (!status) status = vkmoye_parse_file(text, text_bytes, &plan);
  if (!status) status = vkmoye_make_recorder(device, plan, NULL, &recorder);
  for (int i = 0; i < 2 && !status; ++i) {
    status = vkmoye_make_buffer(device, bytes[i], &buffers[i]);
    ranges[i] = (vkmoye_range){buffers[i], 0, 0, 0};
  }
  if (!status) status = vkmoye_write_buffer(buffers[0], 0, numbers, sizeof numbers);
  if (!status) status = vkmoye_run(recorder, ranges, 2, NULL, 0, NULL);
  if (!status) status = vkmoye_require_arrivals(recorder);
  if (!status) status = vkmoye_read_buffer(buffers[1], 0, sum, sizeof *sum);
  for (int i = 0; i < 2; ++i) vkmoye_free_buffer(buffers[i]);
  vkmoye_free_recorder(recorder);
  vkmoye_free_device(device);
  vkmoye_free_file(plan);
  vkmoye_free_text(text);
  return status;
}

static int is_refused(vkmoye_status status, vkmoye_status expected, const char* text) {
  const int as_expected = status == expected && strstr(vkmoye_last_error(), text) != NULL;
  if (!as_expected) fprintf(stderr, "status %d, %s\n", (int)status, vkmoye_last_error());
  return as_expected;
}

int main(int count, char** arguments) {
  const char* groups = count == 2 ? arguments[1] : "1";
  const uint32_t resident = (uint32_t)strtoul(groups, NULL, 10);
  float sum = 0;
  if (sum_of(groups, resident, &sum) || sum != kCount) {
    fprintf(stderr, "the sum is %g: %s%s\n", (double)sum, vkmoye_last_error(),
            vkmoye_compile_error());
    return 1;
  }
  return !is_refused(sum_of(groups, resident - 1, &sum), VKMOYE_CANNOT_RUN, "wait");
}
