/* SPDX-License-Identifier: MIT */
/* A kernel that CMake compiled into the program, in a variant for each size of subgroups: sums of rows. */
#include <kernels/sums.h>
#include <stdio.h>
#include <vkmoye/vkmoye.h>

enum { kRows = 3, kCols = 100 };

int main(void) {
  static float rows[kRows * kCols];
  float sums[kRows];
  vkmoye_file* file = NULL;
  vkmoye_device* device = NULL;
  vkmoye_recorder* recorder = NULL;
  vkmoye_buffer* buffers[kernels_sums_number_of_arrays] = {NULL};
  vkmoye_range ranges[kernels_sums_number_of_arrays] = {{0}};
  const vkmoye_argument sizes[kernels_sums_number_of_arguments] = {
      [kernels_sums_argument_rows] = {"rows", {kRows, 0, 0, 0}},
      [kernels_sums_argument_cols] = {"cols", {kCols, 0, 0, 0}}};
  for (int i = 0; i < kRows * kCols; ++i) rows[i] = (float)(i / kCols);
  if (vkmoye_parse_file((const char*)kernels_sums_file, sizeof kernels_sums_file, &file) ||
      vkmoye_open_device(NULL, NULL, &device) ||
      vkmoye_make_recorder(device, file, NULL, &recorder) ||
      vkmoye_make_buffer(device, sizeof rows, &buffers[kernels_sums_array_src]) ||
      vkmoye_make_buffer(device, sizeof sums, &buffers[kernels_sums_array_dst]) ||
      vkmoye_write_buffer(buffers[kernels_sums_array_src], 0, rows, sizeof rows)) {
    fprintf(stderr, "%s\n", vkmoye_last_error());
    return 1;
  }
  for (int i = 0; i < kernels_sums_number_of_arrays; ++i) ranges[i].buffer = buffers[i];
  if (vkmoye_run(recorder, ranges, kernels_sums_number_of_arrays, sizes, kernels_sums_number_of_arguments,
                 NULL) ||
      vkmoye_read_buffer(buffers[kernels_sums_array_dst], 0, sums, sizeof sums)) {
    fprintf(stderr, "%s\n", vkmoye_last_error());
    return 1;
  }
  printf("%g %g %g\n", (double)sums[0], (double)sums[1], (double)sums[2]);
  for (int i = 0; i < kernels_sums_number_of_arrays; ++i) vkmoye_free_buffer(buffers[i]);
  vkmoye_free_recorder(recorder);
  vkmoye_free_device(device);
  vkmoye_free_file(file);
  return sums[0] != 0 || sums[1] != kCols || sums[2] != 2 * kCols;
}
