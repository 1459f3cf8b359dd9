// generated: reduce/slices  steps=reduce/slices, reduce/combine  groups=4
// steps of one launch, between which all workgroups wait for each other
// vkmoye 0.1.0
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src_x4 { vec4 src_x4[]; };  // (60000,2)
layout(std430, binding = 1) nonprivate restrict buffer Slice_results { float slice_results[]; };  // (59,2)
layout(std430, binding = 2) writeonly nonprivate restrict buffer Dst { float dst[]; };  // (2)
layout(std430, binding = 3) buffer Arrivals { uint arrivals[]; };  // (2)

shared float result_partials[2];  // (2,1):(1,2)

// All workgroups wait for each other, and then see what the others wrote to buffers. Together they add 2^31 to
// arrivals[0], so that its highest bit changes when the last one has come. If one does not come, arrivals[1] becomes 1.
const int kOrder = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
void wait_for_workgroup() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, kOrder);
}
uint arrivals_now(uint at) {
  return atomicLoad(arrivals[at], gl_ScopeDevice, gl_StorageSemanticsBuffer,
                    gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}
void grid_barrier() {
  wait_for_workgroup();
  if (gl_LocalInvocationIndex == 0u) {
    uint part = gl_WorkGroupID.x == 0u ? 0x80000001u - gl_NumWorkGroups.x : 1u;
    uint before = atomicAdd(arrivals[0], part, gl_ScopeDevice, gl_StorageSemanticsBuffer, kOrder);
    for (uint polls = 1u; ((arrivals_now(0u) ^ before) & 0x80000000u) == 0u; ++polls) {
      if ((polls & 0xfffu) != 0u) continue;
      if (polls >= 8388608u) atomicMax(arrivals[1], 1u);
      if (arrivals_now(1u) != 0u) break;
    }
  }
  wait_for_workgroup();
}

float x[8];  // (4,2,1):(1,4,8)
float x_2[8];  // (1,8,1):(1,1,8)

void read_block(uint block_of_row, uint thread, uint block_x) {
  if (512u * block_of_row < 59904u) {
    // a whole tile, rows aligned:
    // copy partition(tile(src, (512,1)), (256,1)) at (512 block_of_row, block_x)
    //   to x
    vec4 value0 = src_x4[128u * block_of_row + thread + 15000u * block_x];
    vec4 value1 = src_x4[128u * block_of_row + thread + 64u + 15000u * block_x];
    x[0] = value0.x;
    x[1] = value0.y;
    x[2] = value0.z;
    x[3] = value0.w;
    x[4] = value1.x;
    x[5] = value1.y;
    x[6] = value1.z;
    x[7] = value1.w;
  } else {
    // a tile at an edge, or rows that are not aligned

    // x <- 0
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      x[v0] = 0.0;
    }

    // rows aligned: loads outside are moved inside, and not used:
    // copy partition(tile(src, (512,1)), (256,1)) at (512 block_of_row, block_x)
    //   to x
    {
      uint src_col = 512u * block_of_row + 4u * thread;
      vec4 value0 = src_x4[min(src_col >> 2u, 14999u) + 15000u * min(block_x, 1u)];
      vec4 value1 = src_x4[min((src_col + 256u) >> 2u, 14999u) + 15000u * min(block_x, 1u)];
      if (src_col < 60000u) {
        x[0] = value0.x;
        x[1] = value0.y;
        x[2] = value0.z;
        x[3] = value0.w;
      }

      if (src_col + 256u < 60000u) {
        x[4] = value1.x;
        x[5] = value1.y;
        x[6] = value1.z;
        x[7] = value1.w;
      }
    }
  }
}

void read_block_2(uint block_of_row, uint block_x, uint thread) {
  if (64u * block_of_row + 63u < 59u && 32u * block_x + 31u < 2u) {
    // a whole tile, rows aligned:
    // copy partition(tile(slice_results, (64,32)), (8,32)) at (64 block_of_row, 32 block_x)
    //   to x
    uint slice_results_slice = 64u * block_of_row + (thread & 7u);
    uint slice_results_row = 32u * block_x + (thread >> 3u);
    float value0 = slice_results[slice_results_slice + 59u * slice_results_row];
    float value1 = slice_results[slice_results_slice + 8u + 59u * slice_results_row];
    float value2 = slice_results[slice_results_slice + 16u + 59u * slice_results_row];
    float value3 = slice_results[slice_results_slice + 24u + 59u * slice_results_row];
    float value4 = slice_results[slice_results_slice + 32u + 59u * slice_results_row];
    float value5 = slice_results[slice_results_slice + 40u + 59u * slice_results_row];
    float value6 = slice_results[slice_results_slice + 48u + 59u * slice_results_row];
    float value7 = slice_results[slice_results_slice + 56u + 59u * slice_results_row];
    x_2[0] = value0;
    x_2[1] = value1;
    x_2[2] = value2;
    x_2[3] = value3;
    x_2[4] = value4;
    x_2[5] = value5;
    x_2[6] = value6;
    x_2[7] = value7;
  } else {
    // a tile at an edge, or rows that are not aligned

    // x <- 0
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      x_2[v0] = 0.0;
    }

    // copy partition(tile(slice_results, (64,32)), (8,32)) at (64 block_of_row, 32 block_x)
    //   to x
    {
      uint slice_results_slice = 64u * block_of_row + (thread & 7u);
      uint slice_results_row = 32u * block_x + (thread >> 3u);
      float value0 = slice_results[min(slice_results_slice, 58u) + 59u * min(slice_results_row, 1u)];
      float value1 = slice_results[min(slice_results_slice + 8u, 58u) + 59u * min(slice_results_row, 1u)];
      float value2 = slice_results[min(slice_results_slice + 16u, 58u) + 59u * min(slice_results_row, 1u)];
      float value3 = slice_results[min(slice_results_slice + 24u, 58u) + 59u * min(slice_results_row, 1u)];
      float value4 = slice_results[min(slice_results_slice + 32u, 58u) + 59u * min(slice_results_row, 1u)];
      float value5 = slice_results[min(slice_results_slice + 40u, 58u) + 59u * min(slice_results_row, 1u)];
      float value6 = slice_results[min(slice_results_slice + 48u, 58u) + 59u * min(slice_results_row, 1u)];
      float value7 = slice_results[min(slice_results_slice + 56u, 58u) + 59u * min(slice_results_row, 1u)];
      if (slice_results_slice < 59u && slice_results_row < 2u) {
        x_2[0] = value0;
      }

      if (slice_results_slice + 8u < 59u && slice_results_row < 2u) {
        x_2[1] = value1;
      }

      if (slice_results_slice + 16u < 59u && slice_results_row < 2u) {
        x_2[2] = value2;
      }

      if (slice_results_slice + 24u < 59u && slice_results_row < 2u) {
        x_2[3] = value3;
      }

      if (slice_results_slice + 32u < 59u && slice_results_row < 2u) {
        x_2[4] = value4;
      }

      if (slice_results_slice + 40u < 59u && slice_results_row < 2u) {
        x_2[5] = value5;
      }

      if (slice_results_slice + 48u < 59u && slice_results_row < 2u) {
        x_2[6] = value6;
      }

      if (slice_results_slice + 56u < 59u && slice_results_row < 2u) {
        x_2[7] = value7;
      }
    }
  }
}

void main() {
  float result;
  float result_2;

  // reduce/slices
  for (uint number_of_block = gl_WorkGroupID.x; number_of_block < 118u;
      number_of_block += gl_NumWorkGroups.x) {
    uint block_x = number_of_block & 1u;
    uint block_y = (number_of_block >> 1u) % 59u;
    uint block_z = number_of_block / 118u;
    uint subgroup = gl_SubgroupID & 1u;
    uint lane = gl_SubgroupInvocationID;
    uint thread = 32u * subgroup + lane;
    uint first_block = 2u * block_y;
    uint own_blocks = min(max(118u, first_block) - first_block, 2u);
    result = 0.0;
    [[dont_unroll]] for (uint block = 0u; block < own_blocks; ++block) {
      read_block(first_block + block, thread, block_x);

      // result += each of x
      [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
        result += x[v0];
      }
    }

    // result <- sum over the lanes of the subgroup
    result = subgroupAdd(result);

    if ((thread & 31u) == 0u) {
      // result_partials <- result, from one thread of each subgroup
      if (gl_SubgroupID < 2u) {
        result_partials[thread >> 5u] = result;
      }
    }

    barrier();
    result = 0.0;

    // result += each of result_partials
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      result += result_partials[v0];
    }

    if (thread == 0u) {
      // copy result
      //   to partition(slice(tile(slice_results, (1,1)), (0,_)), (256,1)) at (block_y, block_x)
      if (gl_SubgroupID < 2u) {
        slice_results[block_y + 59u * block_x] = result;
      }
    }

    barrier();
  }

  grid_barrier();

  // reduce/combine
  for (uint block_x = gl_WorkGroupID.x; block_x < 1u; block_x += gl_NumWorkGroups.x) {
    uint block_y = 0u;
    uint subgroup = gl_SubgroupID;
    uint lane = gl_SubgroupInvocationID;
    uint thread = 32u * subgroup + lane;
    result_2 = 0.0;
    [[dont_unroll]] for (uint block = 0u; block < 1u; ++block) {
      read_block_2(block, block_x, thread);

      // result += each of x
      [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
        result_2 += x_2[v0];
      }
    }

    // result <- sum over lanes ^ 1, then ^ 2, then ^ 4
    {
      float other1 = subgroupShuffleXor(result_2, 1u);
      float combined1 = result_2 + other1;
      float other2 = subgroupShuffleXor(combined1, 2u);
      float combined2 = combined1 + other2;
      float other4 = subgroupShuffleXor(combined2, 4u);
      result_2 = combined2 + other4;
    }

    if ((thread & 7u) == 0u) {
      // copy result
      //   to partition(tile(dst, (32)), (8,32)) at (32 block_x)
      uint dst_row = 32u * block_x + (thread >> 3u);
      if (dst_row < 2u) {
        dst[dst_row] = result_2;
      }
    }
  }
}
