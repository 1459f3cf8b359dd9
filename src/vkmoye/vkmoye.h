/* SPDX-License-Identifier: MIT */
/* The runtime for programs in C, and for languages that call C: opens a device or adopts yours, loads kernel and plan
   files that `vkmoye-bench emit --kernel` wrote, and records or runs them.

     vkmoye_device* device = NULL;
     vkmoye_file* file = NULL;
     vkmoye_recorder* product = NULL;
     if (vkmoye_open_device(NULL, NULL, &device) || vkmoye_read_file("product.json", &file) ||
         vkmoye_make_recorder(device, file, NULL, &product)) {
       fprintf(stderr, "%s\n", vkmoye_last_error());
     }

   Link libvkmoye_c, which exports the functions of this header and nothing else. No C++ exception leaves it.

   Errors. A function that can fail returns a vkmoye_status; anything but VKMOYE_OK is an error, and
   vkmoye_last_error() then gives every reason as text. After an error, what `out` points to is unchanged.
   A pointer that is null although the text below does not allow it is VKMOYE_BAD_ARGUMENT.

   Structures that may grow in later versions begin with `struct_size`: set it to sizeof of the structure, and all other
   members to 0 before you set those you need; 0 always means the default. A library that is older than your header
   accepts the structure if the members that it does not know are 0. The other structures never change.

   Objects. What a function makes, you free by the function named at its type, in any order: an object keeps alive what
   it was made from. Freeing NULL does nothing. Text and arrays that a function returns belong to its object.

   Threads. A vkmoye_device, vkmoye_file or vkmoye_requirements may be used by several threads at the same time, a
   vkmoye_buffer or vkmoye_recorder by one at a time. A thread must not be cancelled (pthread_cancel) inside a function.

   All text is UTF-8. Offsets and sizes are in bytes. */
#ifndef VKMOYE_VKMOYE_H
#define VKMOYE_VKMOYE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(VKMOYE_C_EXPORTS)
#define VKMOYE_API __declspec(dllexport)
#elif defined(_WIN32)
#define VKMOYE_API __declspec(dllimport)
#elif defined(__GNUC__)
#define VKMOYE_API __attribute__((visibility("default")))
#else
#define VKMOYE_API
#endif

/* How Vulkan's functions are called, VKAPI_PTR of its headers. */
#if defined(_WIN32)
#define VKMOYE_VULKAN_CALL __stdcall
#else
#define VKMOYE_VULKAN_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Vulkan's objects: VkInstance is struct VkInstance_T*, and so on. */
struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkDevice_T;
struct VkQueue_T;
struct VkCommandBuffer_T;

/* Versions of this interface. A library serves programs that were built for the same major version and the same or an
   earlier minor version. */
#define VKMOYE_C_VERSION_MAJOR 1
#define VKMOYE_C_VERSION_MINOR 5

/* The version of the library: 65536 * major + minor. */
VKMOYE_API uint32_t vkmoye_c_version(void);

/* One of the numbers below. */
typedef int32_t vkmoye_status;
/* What a vkmoye_status says. */
enum {
  VKMOYE_OK = 0,
  VKMOYE_BAD_ARGUMENT = 1,  /* an argument or a file is invalid: the text has every reason */
  VKMOYE_CANNOT_RUN = 2,    /* the device cannot run the kernel: the text has every reason */
  VKMOYE_NO_DEVICE = 3,     /* no Vulkan loader, driver or usable device */
  VKMOYE_OUT_OF_MEMORY = 4, /* of the device or the host */
  VKMOYE_LOST = 5,          /* the device is lost, or work did not finish in wait_seconds */
  VKMOYE_DEVICE_FAILED = 6, /* another error of a Vulkan call, which the text names */
  VKMOYE_INTERNAL = 7       /* an error in vkmoye */
};

/* Why the last function that failed on this thread failed; "" if none has. Never NULL. Valid until the next function
   that fails on this thread. */
VKMOYE_API const char* vkmoye_last_error(void);

/* --- files ------------------------------------------------------------------------------------------------ */

/* A kernel or a plan (several kernels that compute one result), as read from a file. Since version 1.5 it may have
   variants, which have the same arrays and arguments: a device takes the first that it can run, and the functions below
   describe the first of all. Free: vkmoye_free_file. */
typedef struct vkmoye_file vkmoye_file;

/* Reads what `vkmoye-bench emit --kernel` wrote. VKMOYE_BAD_ARGUMENT with every reason: it cannot be read; it is not such
   a file; another version; damaged. */
VKMOYE_API vkmoye_status vkmoye_read_file(const char* path, vkmoye_file** out);
/* The same from memory, `bytes` bytes at `text`; it need not end with 0. */
VKMOYE_API vkmoye_status vkmoye_parse_file(const char* text, size_t bytes, vkmoye_file** out);
/* Frees the file; NULL does nothing. */
VKMOYE_API void vkmoye_free_file(vkmoye_file* file);

/* "gemm/simt". A null `file` gives "". */
VKMOYE_API const char* vkmoye_file_name(const vkmoye_file* file);
/* The arrays that a recording takes, and their names in order; NULL if `index` is out of range. */
VKMOYE_API uint32_t vkmoye_array_count(const vkmoye_file* file);
VKMOYE_API const char* vkmoye_array_name(const vkmoye_file* file, uint32_t index);
/* Since version 1.3. The type of the elements of array `index`: "f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i64", "u64",
   and so on down to "i8" and "u8". Weights in blocks are the 16-bit words of the blocks, "u16"; packed operands are in
   the order of a device's matrix units. Of a plan: as its first step with this array has it. NULL if `index` is out of
   range, or if no step uses the array. */
VKMOYE_API const char* vkmoye_array_type(const vkmoye_file* file, uint32_t index);
/* What vkmoye_array_access returns. */
enum { VKMOYE_READ = 1, VKMOYE_WRITE = 2 };
/* Since version 1.3. VKMOYE_READ if what array `index` contains before has an effect, VKMOYE_WRITE if it is written, or
   both; 0 if `index` is out of range, or if no step uses the array. */
VKMOYE_API uint32_t vkmoye_array_access(const vkmoye_file* file, uint32_t index);
/* The arguments that a recording takes, in the order of vkmoye_record_values; specialised ones are not among them, see
   vkmoye_recorder_options. A plan takes none: its sizes are fixed, or in one of its arrays. */
VKMOYE_API uint32_t vkmoye_argument_count(const vkmoye_file* file);
VKMOYE_API const char* vkmoye_argument_name(const vkmoye_file* file, uint32_t index);
/* Since version 1.2. The sizes that are specialisation constants, whose values vkmoye_recorder_options::specialised
   takes. A plan takes none. */
VKMOYE_API uint32_t vkmoye_specialised_count(const vkmoye_file* file);
VKMOYE_API const char* vkmoye_specialised_name(const vkmoye_file* file, uint32_t index);

/* --- values ----------------------------------------------------------------------------------------------- */

/* A number: `integer`, or `real` if `is_real` is not 0. */
typedef struct vkmoye_value {
  int64_t integer;
  double real;
  uint32_t is_real;
  uint32_t reserved; /* 0 */
} vkmoye_value;

/* An argument by name. */
typedef struct vkmoye_argument {
  const char* name;
  vkmoye_value value;
} vkmoye_argument;

/* The least number of bytes that array `index` must have under `arguments`. Arguments that are strides of arrays may
   be left out: the arrays are then without gaps. */
VKMOYE_API vkmoye_status vkmoye_array_bytes(const vkmoye_file* file, uint32_t index,
                                            const vkmoye_argument* arguments,
                                            uint32_t argument_count, uint64_t* out);

/* Since version 1.3. The extents of array `index` under `arguments`, the contiguous one last, as in C: rows, columns.
   Writes at most `capacity` of them to `extents`, and their full number to `rank`. */
VKMOYE_API vkmoye_status vkmoye_array_extents(const vkmoye_file* file, uint32_t index,
                                              const vkmoye_argument* arguments,
                                              uint32_t argument_count, uint64_t* extents,
                                              uint32_t capacity, uint32_t* rank);

/* --- devices ---------------------------------------------------------------------------------------------- */

/* Free: vkmoye_free_device, which waits for submitted work if nothing else uses the device. */
typedef struct vkmoye_device vkmoye_device;

/* vkmoye_open_options::flags */
enum {
  VKMOYE_NO_CACHE = 1, /* compiled pipelines are not kept on disk */
  /* The others are not for an adopted device. */
  VKMOYE_VALIDATION = 2, /* enables VK_LAYER_KHRONOS_validation; slow */
  VKMOYE_DEBUG_NAMES = 4 /* names for debuggers, by VK_EXT_debug_utils where the system has it */
};

/* How a device is opened. All members but struct_size may be 0. */
typedef struct vkmoye_open_options {
  uint32_t struct_size;
  uint32_t flags;
  /* Where compiled pipelines are kept; NULL: $VKMOYE_CACHE_DIR, else $XDG_CACHE_HOME/vkmoye, else
     $HOME/.cache/vkmoye; on Windows %LOCALAPPDATA%\vkmoye. For an adopted device, NULL: nowhere. */
  const char* cache_folder;
  /* The longest wait for the device, in seconds; 0: 60 seconds; INFINITY: no limit. A wait that reaches it is
     VKMOYE_LOST, and the device then takes no new work. */
  double wait_seconds;
  /* Takes each message of the validation layer, on the thread of the call that caused it. May be NULL. It must be
     callable until the device, and all that was made from it, are freed. */
  void (*on_message)(void* user, const char* text);
  void* user;
  /* Since version 1.4. The workgroups that the device is known to run at once, for kernels whose workgroups wait for
     each other (vkmoye-bench emit --resident); 0: what the device says, which many devices do not. */
  uint32_t resident_groups;
  uint32_t reserved; /* 0 */
} vkmoye_open_options;

/* Opens a device. `selector`: an index, or a part of the name in any case; NULL or "": the first discrete GPU, else
   integrated, virtual, CPU. `options` may be NULL. */
VKMOYE_API vkmoye_status vkmoye_open_device(const char* selector,
                                            const vkmoye_open_options* options,
                                            vkmoye_device** out);
/* Frees the device; NULL does nothing. */
VKMOYE_API void vkmoye_free_device(vkmoye_device* device);
/* "NVIDIA H200". A null `device` gives "". */
VKMOYE_API const char* vkmoye_device_name(const vkmoye_device* device);

/* --- your own device -------------------------------------------------------------------------------------- */

/* Any function of Vulkan, the same as PFN_vkVoidFunction of its headers. */
typedef void(VKMOYE_VULKAN_CALL* vkmoye_void_function)(void);
/* The type of vkGetInstanceProcAddr, the same as PFN_vkGetInstanceProcAddr of Vulkan's headers. */
typedef vkmoye_void_function(VKMOYE_VULKAN_CALL* vkmoye_get_instance_proc_addr)(
    struct VkInstance_T* instance, const char* name);

/* What files need of a VkDevice. Free: vkmoye_free_requirements. */
typedef struct vkmoye_requirements vkmoye_requirements;

/* What all `files` need of the VkPhysicalDevice, whose instance was created for `api_version` (at least Vulkan 1.2):
   VK_MAKE_API_VERSION(0, 1, 3, 0). VKMOYE_CANNOT_RUN with every reason if the device cannot run one of them. */
VKMOYE_API vkmoye_status vkmoye_make_requirements(vkmoye_get_instance_proc_addr get,
                                                  struct VkInstance_T* instance,
                                                  struct VkPhysicalDevice_T* physical_device,
                                                  uint32_t api_version,
                                                  const vkmoye_file* const* files,
                                                  uint32_t file_count, vkmoye_requirements** out);
/* Frees the requirements; NULL does nothing. */
VKMOYE_API void vkmoye_free_requirements(vkmoye_requirements* requirements);
/* The extensions to enable in vkCreateDevice; `*count` of them. */
VKMOYE_API const char* const* vkmoye_required_extensions(const vkmoye_requirements* requirements,
                                                         uint32_t* count);
/* Since version 1.2. Extensions to enable as well if the device has them: VK_KHR_push_descriptor, see
   VKMOYE_PUSH_DESCRIPTORS. */
VKMOYE_API const char* const* vkmoye_useful_extensions(const vkmoye_requirements* requirements,
                                                       uint32_t* count);
/* Sets the required features in your chain of structures. `features` points to its first, a VkPhysicalDeviceFeatures2.
   VKMOYE_BAD_ARGUMENT names each feature for which the chain has no structure; none is set then. */
VKMOYE_API vkmoye_status vkmoye_enable_features(const vkmoye_requirements* requirements,
                                                void* features);

/* vkmoye_adopted_device::flags: what you enabled, which Vulkan cannot report */
enum {
  VKMOYE_TIMELINE_SEMAPHORES = 1, /* the feature */
  VKMOYE_PUSH_DESCRIPTORS = 2, /* the extension VK_KHR_push_descriptor: recordings need no pool */
  VKMOYE_DEBUG_UTILS = 4       /* VK_EXT_debug_utils, of the instance: names for debuggers */
};

/* Objects that stay yours, and must outlive the vkmoye_device and all that is made from it. Only vkmoye_run, the
   functions that copy to and from a vkmoye_buffer, timestamps, and, for a plan whose workgroups wait for each other, what
   makes its recorder and vkmoye_require_arrivals submit to `queue`, from the thread that calls them; what is recorded can
   be submitted to any queue of the device with compute support, with a vkmoye_buffer only to those of `queue_family`. */
typedef struct vkmoye_adopted_device {
  uint32_t struct_size;
  uint32_t flags;
  vkmoye_get_instance_proc_addr get_instance_proc_addr;
  struct VkInstance_T* instance;
  struct VkPhysicalDevice_T* physical_device;
  struct VkDevice_T* device;
  struct VkQueue_T* queue; /* with compute support */
  uint32_t queue_family;
  uint32_t api_version;                    /* for which the instance was created; 0: Vulkan 1.2 */
  const vkmoye_requirements* requirements; /* whose features you enabled; NULL: none */
  /* Called before and after each use of the queue, if other threads use it; both or neither. */
  void (*lock_queue)(void* user);
  void (*unlock_queue)(void* user);
  void* user;
  /* Since version 1.1. Your own VkPipelineCache, (uint64_t)your_cache, with which pipelines are created; no file is
     then read or written, and cache_folder must be NULL. 0: none. If it is externally synchronized, do not use it in
     another thread during vkmoye_make_recorder. */
  uint64_t pipeline_cache;
} vkmoye_adopted_device;

/* `options` may be NULL. */
VKMOYE_API vkmoye_status vkmoye_adopt_device(const vkmoye_adopted_device* adopted,
                                             const vkmoye_open_options* options,
                                             vkmoye_device** out);

/* --- memory ----------------------------------------------------------------------------------------------- */

/* Memory of the device. Free: vkmoye_free_buffer. */
typedef struct vkmoye_buffer vkmoye_buffer;

/* Memory of `bytes` bytes, initially undefined. */
VKMOYE_API vkmoye_status vkmoye_make_buffer(vkmoye_device* device, uint64_t bytes,
                                            vkmoye_buffer** out);
/* Frees the buffer; NULL does nothing. */
VKMOYE_API void vkmoye_free_buffer(vkmoye_buffer* buffer);
/* Copy to and from the buffer, starting at `offset`; they return when the data are copied. First wait for your own
   work that uses it. */
VKMOYE_API vkmoye_status vkmoye_write_buffer(vkmoye_buffer* buffer, uint64_t offset,
                                             const void* from, size_t bytes);
VKMOYE_API vkmoye_status vkmoye_read_buffer(const vkmoye_buffer* buffer, uint64_t offset, void* to,
                                            size_t bytes);

/* An array: `bytes` bytes of `buffer`, or, if that is NULL, of the VkBuffer `vk_buffer`, starting at `offset`. If
   `bytes` is 0: to the end of `buffer`; a VkBuffer needs a number, as Vulkan cannot report its size. `offset` is a
   multiple of minStorageBufferOffsetAlignment and of the widest access of the kernel, at most 16.
   A VkBuffer has usage STORAGE_BUFFER, and also SHADER_DEVICE_ADDRESS if vkmoye_enable_features sets
   bufferDeviceAddress: such a kernel reaches its arrays by address. While a kernel uses it, it belongs to the queue
   family of the command buffer, or is shared (VK_SHARING_MODE_CONCURRENT). */
typedef struct vkmoye_range {
  const vkmoye_buffer* buffer;
  uint64_t vk_buffer; /* (uint64_t)your_buffer */
  uint64_t offset;
  uint64_t bytes;
} vkmoye_range;

/* --- recording and running -------------------------------------------------------------------------------- */

/* A file loaded on a device. Free: vkmoye_free_recorder, once the device has finished what was recorded. */
typedef struct vkmoye_recorder vkmoye_recorder;

/* What a recorder is for. All members but struct_size may be 0. */
typedef struct vkmoye_recorder_options {
  uint32_t struct_size;
  /* The number of recordings between two calls of vkmoye_reset, if descriptors cannot be pushed. */
  uint32_t recordings;
  /* The number of recordings whose kernels are timed, at most 2^20: the first ones after vkmoye_make_recorder,
     vkmoye_share_recorder or vkmoye_reset. If it is not 0, these functions submit work to the queue and wait for it, so
     do not hold the lock of the queue; and command buffers must be of the device's queue family. */
  uint32_t timestamps;
  uint32_t reserved; /* 0 */
  /* Since version 1.2. Values, from 1 to 2^32-1, of the sizes that are specialisation constants of the kernel
     (vkmoye-bench emit --specialise), which vkmoye_specialised_name lists: an array of `specialised_count` elements in
     any order. The pipeline is for these sizes, and a recording may leave them out. VKMOYE_BAD_ARGUMENT with every
     reason if one is missing or is not such a size. For a plan there must be none, because it has the values. */
  const vkmoye_argument* specialised;
  uint32_t specialised_count;
  uint32_t reserved_2; /* 0 */
  /* Since version 1.2. Your memory for the intermediate results of a plan, vkmoye_scratch_bytes bytes at a multiple of
     16 and of minStorageBufferOffsetAlignment; NULL: the recorder allocates it. Nothing else may use it while a
     recording or vkmoye_run runs. If the plan has sizes from a buffer, your VkBuffer also needs usage INDIRECT_BUFFER. */
  const vkmoye_range* scratch;
} vkmoye_recorder_options;

/* Since version 1.2. The bytes of scratch memory that a recorder of `file` needs; 0 for a kernel. VKMOYE_CANNOT_RUN if
   the device can run none of several variants. */
VKMOYE_API vkmoye_status vkmoye_scratch_bytes(const vkmoye_device* device, const vkmoye_file* file,
                                              uint64_t* out);

/* Loads the kernels, which may take seconds the first time. VKMOYE_CANNOT_RUN with every reason if the device cannot
   run one of them. `options` may be NULL. */
VKMOYE_API vkmoye_status vkmoye_make_recorder(vkmoye_device* device, const vkmoye_file* file,
                                              const vkmoye_recorder_options* options,
                                              vkmoye_recorder** out);
/* Since version 1.2. Another recorder of the same pipelines, for another thread or queue: with timestamps, descriptors
   and scratch of its own. Loads nothing. `options` may be NULL, and has no `specialised`: those of `recorder` stay. */
VKMOYE_API vkmoye_status vkmoye_share_recorder(const vkmoye_recorder* recorder,
                                               const vkmoye_recorder_options* options,
                                               vkmoye_recorder** out);
/* Frees the recorder; NULL does nothing. */
VKMOYE_API void vkmoye_free_recorder(vkmoye_recorder* recorder);

/* Runs on the device's queue and waits. `arrays` are in the order of vkmoye_array_name. Arguments may be in any order;
   those that are strides of arrays may be left out. `microseconds`, which may be NULL, gets the time on the device.
   VKMOYE_BAD_ARGUMENT with every reason, before anything runs. VKMOYE_LOST, too, where vkmoye_require_arrivals would
   say so; the device then still takes work. */
VKMOYE_API vkmoye_status vkmoye_run(vkmoye_recorder* recorder, const vkmoye_range* arrays,
                                    uint32_t array_count, const vkmoye_argument* arguments,
                                    uint32_t argument_count, double* microseconds);

/* Work before or after a recording: VkPipelineStageFlags and VkAccessFlags. Without stages, no barrier is recorded. */
typedef struct vkmoye_scope {
  uint32_t stages;
  uint32_t access;
} vkmoye_scope;

/* The recording waits for `runs_after` and sees its writes; `runs_before` waits for the recording and sees the writes of
   the recording. */
typedef struct vkmoye_order {
  vkmoye_scope runs_after;
  vkmoye_scope runs_before;
} vkmoye_order;

/* Records into your VkCommandBuffer, which is in the recording state and outside a render pass; replaces its compute
   pipeline, set 0 and push constants. The kernels read and write in the compute shader stage. `order` may be NULL:
   then you record the barriers before and after. VKMOYE_BAD_ARGUMENT with every reason, before anything is recorded. */
VKMOYE_API vkmoye_status vkmoye_record(vkmoye_recorder* recorder,
                                       struct VkCommandBuffer_T* command_buffer,
                                       const vkmoye_range* arrays, uint32_t array_count,
                                       const vkmoye_argument* arguments, uint32_t argument_count,
                                       const vkmoye_order* order);
/* The same with all arguments in the order of vkmoye_argument_name, strides included: the fastest way to record a
   kernel again. */
VKMOYE_API vkmoye_status vkmoye_record_values(vkmoye_recorder* recorder,
                                              struct VkCommandBuffer_T* command_buffer,
                                              const vkmoye_range* arrays, uint32_t array_count,
                                              const vkmoye_value* values, uint32_t value_count,
                                              const vkmoye_order* order);
/* The time of one kernel on the device: from the end of all earlier work of the queue to the end of the kernel. */
typedef struct vkmoye_time {
  uint32_t recording; /* 0: the first vkmoye_record of the recorder, or after vkmoye_reset */
  uint32_t step;      /* of the plan; 0 of a kernel */
  double microseconds;
} vkmoye_time;

/* The times of the recordings that the device has finished by now, in order; does not wait. Writes at most `capacity`
   of them to `times`, and their full number to `count`. */
VKMOYE_API vkmoye_status vkmoye_times(const vkmoye_recorder* recorder, vkmoye_time* times,
                                      uint32_t capacity, uint32_t* count);
/* Makes all recordings available again, and forgets their times. The device must have finished them, and their command
   buffers must not be submitted again. */
VKMOYE_API vkmoye_status vkmoye_reset(vkmoye_recorder* recorder);
/* Since version 1.4. For a plan whose workgroups wait for each other: VKMOYE_LOST if one of them waited in vain in a
   recording that has run, so that its results are wrong; the next recording can wait again. Call it when the
   device has finished; it may copy some bytes through the queue, and wait for that. Other plans, and kernels: VKMOYE_OK. A kernel whose workgroups wait has its arrivals
   among its arrays, two u32: 0 before the first launch; the second is not 0 if one waited in vain. */
VKMOYE_API vkmoye_status vkmoye_require_arrivals(vkmoye_recorder* recorder);

#ifdef __cplusplus
}
#endif

#endif /* VKMOYE_VKMOYE_H */
