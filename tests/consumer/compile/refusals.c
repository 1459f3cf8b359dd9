/* SPDX-License-Identifier: MIT */
/* What vkmoye_compile refuses, and four threads that compile at once. Exit status 0: all is as vkmoye/compile.h says. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <vkmoye/compile.h>

static int wrong = 0;

/* `kernel` with `options`, words separated by spaces, is refused with `text`. */
static void is_refused(const char* kernel, const char* options, vkmoye_status expected,
                       const char* text) {
  char words[256];
  const char* separate[16];
  size_t count = 0, bytes = 7;
  char* out = NULL;
  vkmoye_status status;
  snprintf(words, sizeof words, "%s", options);
  for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
    separate[count++] = word;
  status = vkmoye_compile(kernel, separate, count, &out, &bytes);
  if (status == expected && out == NULL && bytes == 7 && strstr(vkmoye_compile_error(), text))
    return;
  fprintf(stderr, "%s %s: status %d, %s\n", kernel, options, (int)status, vkmoye_compile_error());
  wrong = 1;
}

static void* compile(void* failed) {
  const char* const options[] = {"--type", "f16"};
  char* text = NULL;
  size_t bytes = 0;
  vkmoye_file* file = NULL;
  *(int*)failed = vkmoye_compile("copy/simple", options, 2, &text, &bytes) != VKMOYE_OK ||
                  vkmoye_parse_file(text, bytes, &file) != VKMOYE_OK ||
                  strcmp(vkmoye_file_name(file), "copy/simple") != 0 || strlen(text) != bytes;
  vkmoye_free_file(file);
  vkmoye_free_text(text);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  int failed[4] = {1, 1, 1, 1};
  char* text = NULL;
  size_t bytes = 0;
  const char* const null_option[] = {"--type", NULL};
  if (strcmp(vkmoye_compile_error(), "") != 0) wrong = 1;
  is_refused("softmax/row", "", VKMOYE_BAD_ARGUMENT, "did you mean 'softmax/rows'");
  is_refused("softmax/rows", "--tipe f16", VKMOYE_BAD_ARGUMENT, "--type");
  is_refused("softmax/rows", "--type f17", VKMOYE_BAD_ARGUMENT, "f17");
  is_refused("softmax/rows", "--kernel x.json", VKMOYE_BAD_ARGUMENT, "no file is written");
  is_refused("softmax/rows", "--device nothing.json", VKMOYE_BAD_ARGUMENT, "nothing");
  is_refused("softmax/rows", "emit", VKMOYE_BAD_ARGUMENT, "emit");
  is_refused("gemm/coopmat", "--type f64", VKMOYE_BAD_ARGUMENT, "f64");
  is_refused("gemm/simt", "--tile 7x7", VKMOYE_BAD_ARGUMENT, "such as 64x32x8");
  is_refused("gemm/coopmat", "--device vega20", VKMOYE_CANNOT_RUN, "the device lacks it");
  is_refused("", "", VKMOYE_BAD_ARGUMENT, "");
  if (vkmoye_compile(NULL, null_option, 2, NULL, &bytes) != VKMOYE_BAD_ARGUMENT ||
      !strstr(vkmoye_compile_error(), "kernel is NULL") ||
      !strstr(vkmoye_compile_error(), "option 1 is NULL") ||
      !strstr(vkmoye_compile_error(), "text is NULL")) {
    fprintf(stderr, "%s\n", vkmoye_compile_error());
    wrong = 1;
  }
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, compile, &failed[i]);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    wrong |= failed[i];
  }
  vkmoye_free_text(text);
  return wrong;
}
