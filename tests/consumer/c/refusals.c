/* SPDX-License-Identifier: MIT */
/* What the C interface refuses, and what it says: refusals GEMM.json PRODUCT.json. Exit status 0: everything as
   vkmoye.h has it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vkmoye/vkmoye.h>

static int failures = 0;

/* `status` is `expected`, and the text has `part`. */
static void expect(int line, vkmoye_status status, vkmoye_status expected, const char* part) {
  if (status == expected && strstr(vkmoye_last_error(), part) != NULL) return;
  printf("line %d: status %d, not %d, \"%s\", not \"..%s..\"\n", line, status, expected,
         vkmoye_last_error(), part);
  ++failures;
}
#define REFUSES(call, status, part) expect(__LINE__, call, status, part)
#define ACCEPTS(call) REFUSES(call, VKMOYE_OK, "")

static void expect_true(int line, int condition) {
  if (condition) return;
  printf("line %d: is false\n", line);
  ++failures;
}
#define HOLDS(condition) expect_true(__LINE__, condition)

/* A structure of a later version. */
typedef struct {
  vkmoye_recorder_options known;
  uint64_t later;
} LaterOptions;

static void* starts_without_error(void* is_empty) {
  *(int*)is_empty = vkmoye_last_error()[0] == 0;
  vkmoye_read_file("other", NULL);
  return NULL;
}

/* What a wrapper checks arrays by: c = a * b^T of f32, 33x65x17. */
static void check_arrays(vkmoye_file* gemm, vkmoye_file* product) {
  const vkmoye_argument sizes[] = {
      {"m", {33, 0, 0, 0}}, {"n", {65, 0, 0, 0}}, {"k", {17, 0, 0, 0}}};
  uint64_t extents[3] = {7, 7, 7};
  uint32_t rank = 0;
  for (uint32_t array = 0; array < 3; ++array) {
    HOLDS(strcmp(vkmoye_array_type(gemm, array), "f32") == 0);
    HOLDS(vkmoye_array_access(gemm, array) == (array == 2 ? VKMOYE_WRITE : VKMOYE_READ));
    HOLDS(vkmoye_array_access(product, array) == vkmoye_array_access(gemm, array));
  }
  HOLDS(vkmoye_array_type(gemm, 3) == NULL && vkmoye_array_access(product, 3) == 0);
  HOLDS(vkmoye_array_type(NULL, 0) == NULL && vkmoye_array_access(NULL, 0) == 0);
  ACCEPTS(vkmoye_array_extents(gemm, 1, sizes, 3, extents, 3, &rank));
  HOLDS(rank == 2 && extents[0] == 65 && extents[1] == 17 && extents[2] == 7);
  ACCEPTS(vkmoye_array_extents(product, 2, NULL, 0, extents, 1, &rank));
  HOLDS(rank == 2 && extents[0] == 33 && extents[1] == 17);
  ACCEPTS(vkmoye_array_extents(product, 2, NULL, 0, NULL, 0, &rank));
  REFUSES(vkmoye_array_extents(gemm, 3, sizes, 3, extents, 3, &rank), VKMOYE_BAD_ARGUMENT,
          "none has number 3");
  REFUSES(vkmoye_array_extents(gemm, 2, sizes, 1, extents, 3, &rank), VKMOYE_BAD_ARGUMENT, "n");
  REFUSES(vkmoye_array_extents(gemm, 2, sizes, 3, NULL, 3, &rank), VKMOYE_BAD_ARGUMENT,
          "extents is null");
}

static void check_files(vkmoye_file* gemm, vkmoye_file* product) {
  vkmoye_file* unchanged = gemm;
  uint64_t bytes = 0;
  const vkmoye_argument sizes[] = {
      {"m", {33, 0, 0, 0}}, {"n", {65, 0, 0, 0}}, {"k", {17, 0, 0, 0}}};
  REFUSES(vkmoye_read_file(NULL, &unchanged), VKMOYE_BAD_ARGUMENT,
          "vkmoye_read_file: path is null");
  REFUSES(vkmoye_read_file("x", NULL), VKMOYE_BAD_ARGUMENT, "out is null");
  REFUSES(vkmoye_read_file("/absent.json", &unchanged), VKMOYE_BAD_ARGUMENT, "/absent.json");
  REFUSES(vkmoye_parse_file("{}", 2, &unchanged), VKMOYE_BAD_ARGUMENT, "none of \"vkmoye kernel\"");
  REFUSES(vkmoye_parse_file("{", 1, &unchanged), VKMOYE_BAD_ARGUMENT, "");
  REFUSES(vkmoye_parse_file("{\"format\": \"vkmoye plan\", \"version\": 77}", 40, &unchanged),
          VKMOYE_BAD_ARGUMENT, "version 77");
  HOLDS(unchanged == gemm);
  HOLDS(strcmp(vkmoye_file_name(gemm), "gemm/moye_simple") == 0);
  HOLDS(vkmoye_array_count(gemm) == 3 && strcmp(vkmoye_array_name(gemm, 2), "c") == 0);
  HOLDS(vkmoye_array_name(gemm, 3) == NULL && vkmoye_argument_name(gemm, 99) == NULL);
  HOLDS(vkmoye_argument_count(gemm) == 7 && strcmp(vkmoye_argument_name(gemm, 0), "alpha") == 0);
  HOLDS(vkmoye_argument_count(product) == 0 && vkmoye_array_count(product) == 3);
  HOLDS(vkmoye_array_count(NULL) == 0 && vkmoye_file_name(NULL)[0] == 0);
  ACCEPTS(vkmoye_array_bytes(gemm, 2, sizes, 3, &bytes));
  HOLDS(bytes == 4 * 33 * 65);
  ACCEPTS(vkmoye_array_bytes(product, 1, NULL, 0, &bytes));
  HOLDS(bytes == 4 * 65 * 17);
  REFUSES(vkmoye_array_bytes(gemm, 3, sizes, 3, &bytes), VKMOYE_BAD_ARGUMENT, "none has number 3");
  REFUSES(vkmoye_array_bytes(gemm, 0, sizes, 2, &bytes), VKMOYE_BAD_ARGUMENT,
          "argument 'k' is missing");
  REFUSES(vkmoye_array_bytes(product, 0, sizes, 3, &bytes), VKMOYE_BAD_ARGUMENT, "no arguments");
}

static void check_options(vkmoye_file* gemm, vkmoye_device* device) {
  vkmoye_open_options options = {.struct_size = sizeof options};
  vkmoye_device* other = NULL;
  vkmoye_recorder* recorder = NULL;
  LaterOptions later = {.known = {.struct_size = sizeof later}};
  REFUSES(vkmoye_open_device("no such device", &options, &other), VKMOYE_BAD_ARGUMENT,
          "no such device");
  options.wait_seconds = -1;
  REFUSES(vkmoye_open_device(NULL, &options, &other), VKMOYE_BAD_ARGUMENT, "wait_seconds");
  options.wait_seconds = 0;
  options.flags = 0x80000000;
  REFUSES(vkmoye_open_device(NULL, &options, &other), VKMOYE_BAD_ARGUMENT,
          "unknown flags 2147483648");
  options.struct_size = 0;
  REFUSES(vkmoye_open_device(NULL, &options, &other), VKMOYE_BAD_ARGUMENT, "struct_size is 0");
  ACCEPTS(vkmoye_make_recorder(device, gemm, &later.known, &recorder));
  vkmoye_free_recorder(recorder);
  later.later = 1;
  REFUSES(vkmoye_make_recorder(device, gemm, &later.known, &recorder), VKMOYE_BAD_ARGUMENT,
          "does not know");
  later.later = 0;
  later.known.reserved = 7;
  REFUSES(vkmoye_make_recorder(device, gemm, &later.known, &recorder), VKMOYE_BAD_ARGUMENT,
          "vkmoye_make_recorder: reserved is 7, not 0");
  later.known.reserved = 0;
  later.known.reserved_2 = 8;
  REFUSES(vkmoye_make_recorder(device, gemm, &later.known, &recorder), VKMOYE_BAD_ARGUMENT,
          "vkmoye_make_recorder: reserved_2 is 8, not 0");
  /* Of version 1.0, without specialised arguments: what follows the structure is not read. */
  const vkmoye_argument no_size = {"m", {33, 0, 0, 0}};
  vkmoye_recorder_options first = {.struct_size = offsetof(vkmoye_recorder_options, specialised),
                                   .specialised = &no_size,
                                   .specialised_count = 1};
  ACCEPTS(vkmoye_make_recorder(device, gemm, &first, &recorder));
  vkmoye_free_recorder(recorder);
  first.struct_size = sizeof first;
  REFUSES(vkmoye_make_recorder(device, gemm, &first, &recorder), VKMOYE_BAD_ARGUMENT,
          "'m' is not a specialisation constant of it (it has none)");
  HOLDS(other == NULL);
  const vkmoye_adopted_device nothing = {.struct_size = sizeof nothing};
  REFUSES(vkmoye_adopt_device(&nothing, NULL, &other), VKMOYE_BAD_ARGUMENT, "instance is null");
  REFUSES(vkmoye_adopt_device(&nothing, NULL, &other), VKMOYE_BAD_ARGUMENT, "queue is null");
  REFUSES(vkmoye_adopt_device(NULL, NULL, &other), VKMOYE_BAD_ARGUMENT, "adopted is null");
  /* A program of version 1.0 has no pipeline_cache: what follows its structure is not read. */
  vkmoye_adopted_device old = {.struct_size = offsetof(vkmoye_adopted_device, pipeline_cache),
                               .pipeline_cache = 1};
  const vkmoye_open_options folder = {.struct_size = sizeof folder, .cache_folder = "/kept"};
  REFUSES(vkmoye_adopt_device(&old, &folder, &other), VKMOYE_BAD_ARGUMENT, "queue is null");
  HOLDS(strstr(vkmoye_last_error(), "pipeline_cache") == NULL);
  old.struct_size = sizeof old;
  REFUSES(vkmoye_adopt_device(&old, &folder, &other), VKMOYE_BAD_ARGUMENT,
          "pipeline_cache is set, and nothing is kept in the cache_folder '/kept'");
  old.struct_size = offsetof(vkmoye_adopted_device, pipeline_cache) - 1;
  REFUSES(vkmoye_adopt_device(&old, NULL, &other), VKMOYE_BAD_ARGUMENT, "struct_size is");
}

/* Scratch that is a vkmoye_buffer stays alive in the recorders. */
static void check_scratch(vkmoye_file* gemm, vkmoye_file* product, vkmoye_device* device) {
  vkmoye_recorder *recorder = NULL, *other = NULL;
  vkmoye_buffer *scratch = NULL, *arrays[3] = {NULL, NULL, NULL};
  vkmoye_range ranges[3];
  uint64_t bytes = 77;
  ACCEPTS(vkmoye_scratch_bytes(device, gemm, &bytes));
  HOLDS(bytes == 0);
  ACCEPTS(vkmoye_scratch_bytes(device, product, &bytes));
  HOLDS(bytes > 256);
  ACCEPTS(vkmoye_make_buffer(device, bytes + 256, &scratch));
  for (uint32_t i = 0; i < 3; ++i) {
    uint64_t of_array = 0;
    ACCEPTS(vkmoye_array_bytes(product, i, NULL, 0, &of_array));
    ACCEPTS(vkmoye_make_buffer(device, of_array, &arrays[i]));
    ranges[i] = (vkmoye_range){arrays[i], 0, 0, 0};
  }
  vkmoye_range range = {scratch, 0, 256, bytes - 1};
  const vkmoye_recorder_options options = {
      .struct_size = sizeof options, .recordings = 1, .scratch = &range};
  REFUSES(vkmoye_make_recorder(device, product, &options, &recorder), VKMOYE_BAD_ARGUMENT,
          "bytes of scratch");
  range.bytes = bytes;
  ACCEPTS(vkmoye_make_recorder(device, product, &options, &recorder));
  ACCEPTS(vkmoye_share_recorder(recorder, &options, &other));
  REFUSES(vkmoye_share_recorder(NULL, &options, &other), VKMOYE_BAD_ARGUMENT, "recorder is null");
  vkmoye_free_buffer(scratch);
  ACCEPTS(vkmoye_run(recorder, ranges, 3, NULL, 0, NULL));
  vkmoye_free_recorder(recorder);
  ACCEPTS(vkmoye_run(other, ranges, 3, NULL, 0, NULL));
  vkmoye_free_recorder(other);
  for (int i = 0; i < 3; ++i) vkmoye_free_buffer(arrays[i]);
}

static void check_runs(vkmoye_recorder* gemm, vkmoye_recorder* product, vkmoye_device* device) {
  vkmoye_buffer* buffer = NULL;
  ACCEPTS(vkmoye_make_buffer(device, 1024, &buffer));
  const vkmoye_range ranges[] = {{buffer, 0, 0, 0}, {buffer, 0, 512, 0}, {buffer, 0, 256, 768}};
  const vkmoye_argument sizes[] = {{"m", {33, 0, 0, 0}},
                                   {"n", {65, 0, 0, 0}},
                                   {"k", {17, 0, 0, 0}},
                                   {"alpha", {0, 1, 1, 0}},
                                   {"alpha", {0, 1, 1, 0}}};
  const vkmoye_argument typo[] = {{"m", {33, 0, 0, 0}}, {"alpa", {0, 1, 1, 0}}};
  float value = 0;
  /* Every reason at once. */
  REFUSES(vkmoye_run(gemm, ranges, 3, sizes, 4, NULL), VKMOYE_BAD_ARGUMENT,
          "a: needs 561 elements");
  REFUSES(vkmoye_run(gemm, ranges, 3, sizes, 4, NULL), VKMOYE_BAD_ARGUMENT, "overlap");
  REFUSES(vkmoye_run(gemm, ranges, 3, sizes, 1, NULL), VKMOYE_BAD_ARGUMENT,
          "gemm/moye_simple:\n  - argument 'alpha' is missing\n  - argument 'k' is missing\n"
          "  - argument 'n' is missing");
  REFUSES(vkmoye_run(gemm, ranges, 3, typo, 2, NULL), VKMOYE_BAD_ARGUMENT,
          "unknown argument 'alpa', did you mean 'alpha'?");
  REFUSES(vkmoye_run(gemm, ranges, 3, sizes, 5, NULL), VKMOYE_BAD_ARGUMENT, "given twice");
  REFUSES(vkmoye_run(gemm, ranges, 3, NULL, 4, NULL), VKMOYE_BAD_ARGUMENT, "arguments is null");
  REFUSES(vkmoye_run(gemm, NULL, 3, sizes, 4, NULL), VKMOYE_BAD_ARGUMENT, "arrays is null");
  REFUSES(vkmoye_run(gemm, ranges, 2, sizes, 4, NULL), VKMOYE_BAD_ARGUMENT, "takes 3 buffers");
  REFUSES(vkmoye_run(product, ranges, 2, NULL, 0, NULL), VKMOYE_BAD_ARGUMENT, "takes 3 arrays");
  REFUSES(vkmoye_run(product, ranges, 3, sizes, 1, NULL), VKMOYE_BAD_ARGUMENT, "no arguments");
  REFUSES(vkmoye_run(NULL, ranges, 3, sizes, 4, NULL), VKMOYE_BAD_ARGUMENT, "recorder is null");
  REFUSES(vkmoye_record(gemm, NULL, ranges, 3, sizes, 4, NULL), VKMOYE_BAD_ARGUMENT,
          "commands is null");
  REFUSES(vkmoye_write_buffer(buffer, 1020, &value, 8), VKMOYE_BAD_ARGUMENT,
          "8 bytes at offset 1020");
  REFUSES(vkmoye_read_buffer(buffer, 0, NULL, 4), VKMOYE_BAD_ARGUMENT, "to is null");
  REFUSES(vkmoye_make_buffer(device, UINT64_MAX, &buffer), VKMOYE_BAD_ARGUMENT, "");
  vkmoye_free_buffer(buffer);
}

int main(int count, char** arguments) {
  vkmoye_file *gemm = NULL, *product = NULL;
  vkmoye_device* device = NULL;
  vkmoye_recorder *records = NULL, *plays = NULL;
  pthread_t thread;
  int is_empty = 0;
  if (count != 3) return 2;
  HOLDS(vkmoye_last_error()[0] == 0);
  HOLDS(vkmoye_c_version() == 65536u * VKMOYE_C_VERSION_MAJOR + VKMOYE_C_VERSION_MINOR);
  ACCEPTS(vkmoye_read_file(arguments[1], &gemm));
  ACCEPTS(vkmoye_read_file(arguments[2], &product));
  ACCEPTS(vkmoye_open_device(NULL, NULL, &device));
  ACCEPTS(vkmoye_make_recorder(device, gemm, NULL, &records));
  ACCEPTS(vkmoye_make_recorder(device, product, NULL, &plays));
  if (failures != 0) return 1;
  check_files(gemm, product);
  check_arrays(gemm, product);
  check_options(gemm, device);
  check_scratch(gemm, product, device);
  check_runs(records, plays, device);
  /* Each thread has its own text. */
  vkmoye_read_file(NULL, NULL);
  HOLDS(pthread_create(&thread, NULL, starts_without_error, &is_empty) == 0);
  pthread_join(thread, NULL);
  HOLDS(is_empty && strstr(vkmoye_last_error(), "path is null") != NULL);
  /* In any order: what was made from the device keeps it. */
  vkmoye_free_device(device);
  vkmoye_free_file(gemm);
  vkmoye_free_file(product);
  vkmoye_free_recorder(records);
  vkmoye_free_recorder(plays);
  vkmoye_free_recorder(NULL);
  vkmoye_free_device(NULL);
  vkmoye_free_file(NULL);
  vkmoye_free_buffer(NULL);
  vkmoye_free_requirements(NULL);
  printf("%d failures\n", failures);
  return failures != 0;
}
