// generated: softmax/rows  type=f32  threads=64  subgroup-size=32  columns=64  rounds=1  vector=16
// rows that fit stay in registers, longer ones are read twice
// vkmoye 0.1.0: vkmoye-bench emit softmax/rows --type f32 --rounds 1 --threads 64
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x4 { vec4 src_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float dst[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst_x4 { vec4 dst_x4[]; };  // (cols,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float largest_partials[2];  // (2,1):(1,2)
shared float sum_partials[2];  // (2,1):(1,2)

float x[4];  // (4,1,1):(1,4,4)

void read_block(uint block_of_row, uint block_x, uint thread) {
  if (256u * block_of_row + 255u < cols && block_x < rows && (cols & 3u) == 0u) {
    // a whole tile, rows aligned:
    // copy partition(tile(src, (256,1)), (256,1)) at (256 block_of_row, block_x)
    //   to x
    vec4 value = src_x4[64u * block_of_row + thread + ((cols * block_x) >> 2u)];
    x[0] = value.x;
    x[1] = value.y;
    x[2] = value.z;
    x[3] = value.w;
  } else {
    // a tile at an edge, or rows that are not aligned

    // x <- -infinity
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      x[v0] = uintBitsToFloat(0xff800000u /* -infinity */);
    }

    // copy partition(tile(src, (256,1)), (256,1)) at (256 block_of_row, block_x)
    //   to x
    if ((cols & 3u) == 0u) {
      // rows aligned: loads outside are moved inside, and not used
      uint src_col = 256u * block_of_row + 4u * thread;
      vec4 value =
          src_x4[(4u * min(src_col >> 2u, (cols >> 2u) - 1u) + cols * min(block_x, rows - 1u)) >> 2u];
      if (src_col < cols && block_x < rows) {
        x[0] = value.x;
        x[1] = value.y;
        x[2] = value.z;
        x[3] = value.w;
      }
    } else {
      // rows that are not aligned
      uint src_col0 = 256u * block_of_row + 4u * thread;
      if (block_x < rows) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          uint src_col = src_col0 + v0;
          if (src_col < cols) {
            x[v0] = src[src_col + cols * block_x];
          }
        }
      }
    }
  }
}

void main() {
  float largest;
  float sum;
  float before;
  float factor;
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  uint blocks = (cols >> 8u) + min(cols & 255u, 1u);  // ceil(cols / 256)
  largest = -3.4028235e+38;
  sum = 0.0;

  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    read_block(block, block_x, thread);
    before = largest;

    // largest <- max(largest, each of x)
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      largest = max(largest, x[v0]);
    }

    // sum <- the sum for the new largest
    sum *= exp(before - largest);

    // x <- exp(x - largest)
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      x[v0] = exp(x[v0] - largest);
    }

    // sum += each of x
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      sum += x[v0];
    }
  }

  before = largest;

  // largest <- maximum over the lanes of the subgroup
  largest = subgroupMax(largest);

  if ((thread & 31u) == 0u) {
    // largest_partials <- largest, from one thread of each subgroup
    largest_partials[thread >> 5u] = largest;
  }

  barrier();
  largest = uintBitsToFloat(0xff800000u /* -infinity */);

  // largest <- max(largest, each of largest_partials)
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    largest = max(largest, largest_partials[v0]);
  }

  // sum <- the sum for the new largest
  sum *= exp(before - largest);

  // sum <- sum over the lanes of the subgroup
  sum = subgroupAdd(sum);

  if ((thread & 31u) == 0u) {
    // sum_partials <- sum, from one thread of each subgroup
    sum_partials[thread >> 5u] = sum;
  }

  barrier();
  sum = 0.0;

  // sum += each of sum_partials
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    sum += sum_partials[v0];
  }

  factor = exp(before - largest) / sum;

  // each exponential divided by the sum
  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    if (1u < blocks) {
      // a row of several blocks: read again
      read_block(block, block_x, thread);

      // x <- exp(x - before)
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        x[v0] = exp(x[v0] - before);
      }
    }

    // x <- x * factor
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      x[v0] *= factor;
    }

    // copy x
    //   to partition(tile(dst, (256,1)), (256,1)) at (256 block, block_x)
    if (256u * block + 255u < cols && block_x < rows && (cols & 3u) == 0u) {
      // a whole tile, rows aligned
      dst_x4[64u * block + thread + ((cols * block_x) >> 2u)] = vec4(x[0], x[1], x[2], x[3]);
    } else {
      // a tile at an edge, or rows that are not aligned
      if ((cols & 3u) == 0u) {
        // 4 elements at a time
        uint dst_col = 256u * block + 4u * thread;
        if (dst_col < cols && block_x < rows) {
          dst_x4[(dst_col >> 2u) + ((cols * block_x) >> 2u)] = vec4(x[0], x[1], x[2], x[3]);
        }
      } else {
        // one element at a time
        uint dst_col0 = 256u * block + 4u * thread;
        if (block_x < rows) {
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            uint dst_col = dst_col0 + v0;
            if (dst_col < cols) {
              dst[dst_col + cols * block_x] = x[v0];
            }
          }
        }
      }
    }
  }
}
