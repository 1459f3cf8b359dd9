// generated: reduce/sum  type=f16  axis=0  threads=64  subgroup-size=32  columns=8  rounds=2  vector=16
// one pass: values to registers, registers to lanes, lanes to subgroups
// vkmoye 0.1.0: vkmoye-bench emit reduce/sum --type f16 --axis 0 --rounds 2 --threads 64
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Src { float16_t src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x8 { uvec4 src_x8[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float16_t dst[]; };  // (cols)
layout(std430, binding = 1) writeonly buffer Dst_x8 { uvec4 dst_x8[]; };  // (cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float result_partials[128];  // (16,8):(1,16)

float x[16];  // (8,1,2):(1,8,8)

void read_block(uint block_of_row, uint block_x, uint thread) {
  if (64u * block_x + 63u < cols && 16u * block_of_row + 15u < rows && (cols & 7u) == 0u) {
    // a whole tile, rows aligned:
    // copy partition(tile(src, (64,16)), (64,8)) at (64 block_x, 16 block_of_row)
    //   to x
    uint src_row = 16u * block_of_row + (thread >> 3u);
    uvec4 value0 = src_x8[8u * block_x + (thread & 7u) + ((cols * src_row) >> 3u)];
    uvec4 value1 = src_x8[8u * block_x + (thread & 7u) + ((cols * (src_row + 8u)) >> 3u)];
    x[0] = float(unpackFloat2x16(value0.x)[0]);
    x[1] = float(unpackFloat2x16(value0.x)[1]);
    x[2] = float(unpackFloat2x16(value0.y)[0]);
    x[3] = float(unpackFloat2x16(value0.y)[1]);
    x[4] = float(unpackFloat2x16(value0.z)[0]);
    x[5] = float(unpackFloat2x16(value0.z)[1]);
    x[6] = float(unpackFloat2x16(value0.w)[0]);
    x[7] = float(unpackFloat2x16(value0.w)[1]);
    x[8] = float(unpackFloat2x16(value1.x)[0]);
    x[9] = float(unpackFloat2x16(value1.x)[1]);
    x[10] = float(unpackFloat2x16(value1.y)[0]);
    x[11] = float(unpackFloat2x16(value1.y)[1]);
    x[12] = float(unpackFloat2x16(value1.z)[0]);
    x[13] = float(unpackFloat2x16(value1.z)[1]);
    x[14] = float(unpackFloat2x16(value1.w)[0]);
    x[15] = float(unpackFloat2x16(value1.w)[1]);
  } else {
    // a tile at an edge, or rows that are not aligned

    // x <- 0
    [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
      x[v0] = 0.0;
    }

    // copy partition(tile(src, (64,16)), (64,8)) at (64 block_x, 16 block_of_row)
    //   to x
    if ((cols & 7u) == 0u) {
      // rows aligned: loads outside are moved inside, and not used
      uint src_col = 64u * block_x + 8u * (thread & 7u);
      uint src_row = 16u * block_of_row + (thread >> 3u);
      uvec4 value0 =
          src_x8[(8u * min(src_col >> 3u, (cols >> 3u) - 1u) + cols * min(src_row, rows - 1u)) >> 3u];
      uvec4 value1 =
          src_x8[(8u * min(src_col >> 3u, (cols >> 3u) - 1u) + cols * min(src_row + 8u, rows - 1u)) >> 3u];
      if (src_col < cols && src_row < rows) {
        x[0] = float(unpackFloat2x16(value0.x)[0]);
        x[1] = float(unpackFloat2x16(value0.x)[1]);
        x[2] = float(unpackFloat2x16(value0.y)[0]);
        x[3] = float(unpackFloat2x16(value0.y)[1]);
        x[4] = float(unpackFloat2x16(value0.z)[0]);
        x[5] = float(unpackFloat2x16(value0.z)[1]);
        x[6] = float(unpackFloat2x16(value0.w)[0]);
        x[7] = float(unpackFloat2x16(value0.w)[1]);
      }

      if (src_col < cols && src_row + 8u < rows) {
        x[8] = float(unpackFloat2x16(value1.x)[0]);
        x[9] = float(unpackFloat2x16(value1.x)[1]);
        x[10] = float(unpackFloat2x16(value1.y)[0]);
        x[11] = float(unpackFloat2x16(value1.y)[1]);
        x[12] = float(unpackFloat2x16(value1.z)[0]);
        x[13] = float(unpackFloat2x16(value1.z)[1]);
        x[14] = float(unpackFloat2x16(value1.w)[0]);
        x[15] = float(unpackFloat2x16(value1.w)[1]);
      }
    } else {
      // rows that are not aligned
      uint src_col0 = 64u * block_x + 8u * (thread & 7u);
      uint src_row0 = 16u * block_of_row + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
          uint src_col = src_col0 + v0;
          uint src_row = src_row0 + 8u * v2;
          if (src_col < cols && src_row < rows) {
            x[v0 + 8u * v2] = float(src[src_col + cols * src_row]);
          }
        }
      }
    }
  }
}

void main() {
  float result[8];  // (8,1,1):(1,8,8)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  uint blocks = (rows >> 4u) + min(rows & 15u, 1u);  // ceil(rows / 16)

  // result <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    result[v0] = 0.0;
  }

  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    read_block(block, block_x, thread);

    // result += each of x
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
        result[v0] += x[v0 + 8u * v1];
      }
    }
  }

  // result <- sum over lanes ^ 8, then ^ 16
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    float other8 = subgroupShuffleXor(result[v0], 8u);
    float combined8 = result[v0] + other8;
    float other16 = subgroupShuffleXor(combined8, 16u);
    result[v0] = combined8 + other16;
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // result_partials <- result, from 8 threads of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      result_partials[(thread & 7u) + 8u * (thread >> 5u) + 16u * v0] = result[v0];
    }
  }

  barrier();

  // result <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    result[v0] = 0.0;
  }

  // result += each of result_partials
  [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      result[v0] += result_partials[(thread & 7u) + 16u * v0 + 8u * v1];
    }
  }

  if (thread < 8u) {
    // copy result
    //   to partition(tile(dst, (64)), (64,8)) at (64 block_x)
    if ((cols & 7u) == 0u) {
      // 8 elements at a time
      uint dst_col = 64u * block_x + 8u * thread;
      if (dst_col < cols) {
        dst_x8[dst_col >> 3u] = uvec4(packFloat2x16(f16vec2(float16_t(result[0]), float16_t(result[1]))),
            packFloat2x16(f16vec2(float16_t(result[2]), float16_t(result[3]))),
            packFloat2x16(f16vec2(float16_t(result[4]), float16_t(result[5]))),
            packFloat2x16(f16vec2(float16_t(result[6]), float16_t(result[7]))));
      }
    } else {
      // one element at a time
      uint dst_col0 = 64u * block_x + 8u * thread;
      [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
        uint dst_col = dst_col0 + v0;
        if (dst_col < cols) {
          dst[dst_col] = float16_t(result[v0]);
        }
      }
    }
  }
}
