// generated: gemm/combine  types=f16,f32,f16  a=k  b=k  epilogue=bias,relu  threads=(32,2,4):(1,32,64)
// threads along slices are added up last, always in the same order
// vkmoye 0.1.0
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Partials { float partials[]; };  // (n,m,slices)
layout(std430, binding = 0) readonly buffer Partials_x4 { vec4 partials_x4[]; };  // (n,m,slices)
layout(std430, binding = 1) readonly buffer Bias { float16_t bias[]; };  // (n)
layout(std430, binding = 1) readonly buffer Bias_x4 { f16vec4 bias_x4[]; };  // (n)
layout(std430, binding = 2) writeonly buffer C { float16_t c[]; };  // (n,m)
layout(std430, binding = 2) writeonly buffer C_x4 { f16vec4 c_x4[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, slices, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared float sums_partials[1024];  // (256,4):(1,256)

void main() {
  float values[16];  // (4,1,1,4):(1,4,4,4)
  float sums[4];  // (4,1,1,1):(1,4,4,4)
  float16_t result[4];  // (4,1,1):(1,4,4)
  float16_t held_bias[4];  // (4,1,1):(1,4,4)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    sums[v0] = 0.0;
  }

  for (uint chunk = 0u; chunk < (slices >> 4u) + min(slices & 15u, 1u); ++chunk) {  // ceil(slices / 16)
    if (128u * block_x + 127u < n && 2u * block_y + 1u < m && 16u * chunk + 15u < slices && (n & 3u) == 0u) {
      // a whole tile, rows aligned:
      // copy partition(tile(partials, (128,2,16)), (128,2,4)) at (128 block_x, 2 block_y, 16 chunk)
      //   to values
      uint partials_m = 2u * block_y + ((thread >> 5u) & 1u);
      uint partials_slice = 16u * chunk + (thread >> 6u);
      vec4 value0 =
          partials_x4[(128u * block_x + 4u * (thread & 31u) + n * partials_m + n * m * partials_slice) >> 2u];
      vec4 value1 = partials_x4[(128u * block_x + 4u * (thread & 31u) + n * partials_m
            + n * m * (partials_slice + 4u)) >> 2u];
      vec4 value2 = partials_x4[(128u * block_x + 4u * (thread & 31u) + n * partials_m
            + n * m * (partials_slice + 8u)) >> 2u];
      vec4 value3 = partials_x4[(128u * block_x + 4u * (thread & 31u) + n * partials_m
            + n * m * (partials_slice + 12u)) >> 2u];
      values[0] = value0.x;
      values[1] = value0.y;
      values[2] = value0.z;
      values[3] = value0.w;
      values[4] = value1.x;
      values[5] = value1.y;
      values[6] = value1.z;
      values[7] = value1.w;
      values[8] = value2.x;
      values[9] = value2.y;
      values[10] = value2.z;
      values[11] = value2.w;
      values[12] = value3.x;
      values[13] = value3.y;
      values[14] = value3.z;
      values[15] = value3.w;
    } else {
      // a tile at an edge, or rows that are not aligned

      // values <- 0
      [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
        values[v0] = 0.0;
      }

      // copy partition(tile(partials, (128,2,16)), (128,2,4)) at (128 block_x, 2 block_y, 16 chunk)
      //   to values
      if ((n & 3u) == 0u) {
        // rows aligned: loads outside are moved inside, and not used
        uint partials_n = 128u * block_x + 4u * (thread & 31u);
        uint partials_m = 2u * block_y + ((thread >> 5u) & 1u);
        uint partials_slice = 16u * chunk + (thread >> 6u);
        vec4 value0 = partials_x4[(4u * min(partials_n >> 2u, (n >> 2u) - 1u) + n * min(partials_m, m - 1u)
              + n * m * min(partials_slice, slices - 1u)) >> 2u];
        vec4 value1 = partials_x4[(4u * min(partials_n >> 2u, (n >> 2u) - 1u) + n * min(partials_m, m - 1u)
              + n * m * min(partials_slice + 4u, slices - 1u)) >> 2u];
        vec4 value2 = partials_x4[(4u * min(partials_n >> 2u, (n >> 2u) - 1u) + n * min(partials_m, m - 1u)
              + n * m * min(partials_slice + 8u, slices - 1u)) >> 2u];
        vec4 value3 = partials_x4[(4u * min(partials_n >> 2u, (n >> 2u) - 1u) + n * min(partials_m, m - 1u)
              + n * m * min(partials_slice + 12u, slices - 1u)) >> 2u];
        if (partials_n < n && partials_m < m && partials_slice < slices) {
          values[0] = value0.x;
          values[1] = value0.y;
          values[2] = value0.z;
          values[3] = value0.w;
        }

        if (partials_n < n && partials_m < m && partials_slice + 4u < slices) {
          values[4] = value1.x;
          values[5] = value1.y;
          values[6] = value1.z;
          values[7] = value1.w;
        }

        if (partials_n < n && partials_m < m && partials_slice + 8u < slices) {
          values[8] = value2.x;
          values[9] = value2.y;
          values[10] = value2.z;
          values[11] = value2.w;
        }

        if (partials_n < n && partials_m < m && partials_slice + 12u < slices) {
          values[12] = value3.x;
          values[13] = value3.y;
          values[14] = value3.z;
          values[15] = value3.w;
        }
      } else {
        // rows that are not aligned
        uint partials_n0 = 128u * block_x + 4u * (thread & 31u);
        uint partials_m = 2u * block_y + ((thread >> 5u) & 1u);
        uint partials_slice0 = 16u * chunk + (thread >> 6u);
        if (partials_m < m) {
          [[unroll]] for (uint v3 = 0u; v3 < 4u; ++v3) {
            [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
              uint partials_n = partials_n0 + v0;
              uint partials_slice = partials_slice0 + 4u * v3;
              if (partials_n < n && partials_slice < slices) {
                values[v0 + 4u * v3] = partials[partials_n + n * partials_m + n * m * partials_slice];
              }
            }
          }
        }
      }
    }

    // sums += each of values
    [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        sums[v0] += values[v0 + 4u * v1];
      }
    }
  }

  // sums_partials <- sums, from each thread
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    sums_partials[thread + 256u * v0] = sums[v0];
  }

  barrier();

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    sums[v0] = 0.0;
  }

  // sums += each of sums_partials
  [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      sums[v0] += sums_partials[(thread & 63u) + 256u * v0 + 64u * v1];
    }
  }

  if (thread < 64u) {
    // copy bias at the coordinates of partition(tile(c, (128,2)), (128,2))
    //   to held_bias
    if ((n & 3u) == 0u) {
      // 4 elements at a time
      uint bias_n = 128u * block_x + 4u * (thread & 31u);
      if (bias_n < n) {
        f16vec4 value = bias_x4[bias_n >> 2u];
        held_bias[0] = value.x;
        held_bias[1] = value.y;
        held_bias[2] = value.z;
        held_bias[3] = value.w;
      } else {
        held_bias[0] = float16_t(0.0);
        held_bias[1] = float16_t(0.0);
        held_bias[2] = float16_t(0.0);
        held_bias[3] = float16_t(0.0);
      }
    } else {
      // one element at a time
      uint bias_n0 = 128u * block_x + 4u * (thread & 31u);
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        uint bias_n = bias_n0 + v0;
        if (bias_n < n) {
          held_bias[v0] = bias[bias_n];
        } else {
          held_bias[v0] = float16_t(0.0);
        }
      }
    }

    // result <- alpha * sums, then bias,relu
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      float product = alpha * sums[v0];
      float after_bias = product + float(held_bias[v0]);
      float after_relu = (0.0 < after_bias || isnan(after_bias)) ? after_bias : 0.0;
      result[v0] = float16_t(after_relu);
    }

    // copy result
    //   to partition(tile(c, (128,2)), (128,2)) at (128 block_x, 2 block_y)
    if ((n & 3u) == 0u && (ldc & 3u) == 0u) {
      // 4 elements at a time
      uint c_n = 128u * block_x + 4u * (thread & 31u);
      uint c_m = 2u * block_y + (thread >> 5u);
      if (c_n < n && c_m < m) {
        c_x4[(c_n >> 2u) + ((ldc * c_m) >> 2u)] = f16vec4(result[0], result[1], result[2], result[3]);
      }
    } else {
      // one element at a time
      uint c_n0 = 128u * block_x + 4u * (thread & 31u);
      uint c_m = 2u * block_y + (thread >> 5u);
      if (c_m < m) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          uint c_n = c_n0 + v0;
          if (c_n < n) {
            c[c_n + ldc * c_m] = result[v0];
          }
        }
      }
    }
  }
}
