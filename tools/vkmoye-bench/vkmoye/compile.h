/* SPDX-License-Identifier: MIT */
/* Compiles kernels when they are needed, for programs in C, and for languages that call C.

     const char* options[] = {"--type", "f16"};
     char* text = NULL;
     size_t bytes = 0;
     vkmoye_file* file = NULL;
     if (vkmoye_compile("softmax/rows", options, 2, &text, &bytes)) puts(vkmoye_compile_error());
     else vkmoye_parse_file(text, bytes, &file);
     vkmoye_free_text(text);

   Link libvkmoye_compile, which contains the generator and exports the functions of this header and nothing else. It
   needs no device. No C++ exception leaves it. libvkmoye_c runs what it compiles, and need not be linked. */
#ifndef VKMOYE_COMPILE_H
#define VKMOYE_COMPILE_H

#include "vkmoye/vkmoye.h"

#if defined(_WIN32) && defined(VKMOYE_COMPILE_EXPORTS)
#define VKMOYE_COMPILE_API __declspec(dllexport)
#elif defined(_WIN32)
#define VKMOYE_COMPILE_API __declspec(dllimport)
#elif defined(__GNUC__)
#define VKMOYE_COMPILE_API __attribute__((visibility("default")))
#else
#define VKMOYE_COMPILE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles a kernel or a plan. `kernel`: its name, "gemm/auto". `options`: the words that follow in
   `vkmoye-bench emit KERNEL OPTIONS..`, but for those that name files to write; NULL if `option_count` is 0. "--device"
   takes part of the name of a device of this machine, or a description of one; without it, the kernel is for a device
   with the most common limits. Then `*text` is what vkmoye_parse_file takes, `*bytes` bytes and a 0; free it with
   vkmoye_free_text. With several sizes in "--subgroup-size", or several "--device", it has variants, which libvkmoye_c
   reads from version 1.5 on. May be called by several threads, which wait for each other.
   VKMOYE_BAD_ARGUMENT with every reason: an unknown kernel, option or device, or values that are wrong or do not fit
   each other. VKMOYE_CANNOT_RUN with every reason: the device cannot run the kernel. VKMOYE_NO_DEVICE: "--device" names
   no description, and there is no Vulkan device. */
VKMOYE_COMPILE_API vkmoye_status vkmoye_compile(const char* kernel, const char* const* options,
                                                size_t option_count, char** text, size_t* bytes);

/* Frees the text; NULL does nothing. */
VKMOYE_COMPILE_API void vkmoye_free_text(char* text);

/* Why the last vkmoye_compile that failed on this thread failed; "" if none has. Never NULL. Valid until the next one
   that fails on this thread. */
VKMOYE_COMPILE_API const char* vkmoye_compile_error(void);

#ifdef __cplusplus
}
#endif

#endif
