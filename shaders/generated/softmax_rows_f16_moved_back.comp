// generated: softmax/rows  type=f16  threads=64  subgroup-size=32  columns=64  rounds=1  vector=16
//   move-back=yes
// rows that fit stay in registers, longer ones are read twice
// vkmoye 0.1.0: vkmoye-bench emit softmax/rows --type f16 --move-back yes --rounds 1 --threads 64
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Src { float16_t src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x8 { uvec4 src_x8[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float16_t dst[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst_x8 { uvec4 dst_x8[]; };  // (cols,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float largest_partials[2];  // (2,1):(1,2)
shared float sum_partials[2];  // (2,1):(1,2)

float x[8];  // (8,1,1):(1,8,8)

void read_block(uint block_of_row, uint block_x, uint thread, uint back) {
  // x <- -infinity
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    x[v0] = uintBitsToFloat(0xff800000u /* -infinity */);
  }

  if (block_x < rows) {
    // copy slice(moved_back(partition(tile(src, (512,1)), (512,1)), back), (_,0,_))
    //   at (512 block_of_row, block_x)
    //   to slice(x, (_,0,_))
    if (512u * block_of_row + 8u * thread - back < max(cols, 7u) - 7u) {
      // a whole vector
      uvec4 value = src_x8[(512u * block_of_row + 8u * thread - back + cols * block_x) >> 3u];
      x[0] = float(unpackFloat2x16(value.x)[0]);
      x[1] = float(unpackFloat2x16(value.x)[1]);
      x[2] = float(unpackFloat2x16(value.y)[0]);
      x[3] = float(unpackFloat2x16(value.y)[1]);
      x[4] = float(unpackFloat2x16(value.z)[0]);
      x[5] = float(unpackFloat2x16(value.z)[1]);
      x[6] = float(unpackFloat2x16(value.w)[0]);
      x[7] = float(unpackFloat2x16(value.w)[1]);
    } else {
      // one at an end of the row
      uint src_col0 = 512u * block_of_row + 8u * thread - back;
      if (block_x < rows) {
        [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
          uint src_col = src_col0 + v0;
          if (src_col < cols) {
            x[v0] = float(src[src_col + cols * block_x]);
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
  uint back = (cols * block_x) & 7u;
  uint blocks = ((cols + 7u) >> 9u) + min((cols + 7u) & 511u, 1u);  // ceil((cols + 7u) / 512)
  largest = -3.4028235e+38;
  sum = 0.0;

  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    read_block(block, block_x, thread, back);
    before = largest;

    // largest <- max(largest, each of x)
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      largest = (x[v0] < largest || isnan(largest)) ? largest : x[v0];
    }

    // sum <- the sum for the new largest
    sum *= exp(before - largest);

    // x <- exp(x - largest)
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      x[v0] = exp(x[v0] - largest);
    }

    // sum += each of x
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      sum += x[v0];
    }
  }

  before = largest;

  // largest <- maximum over lanes ^ 1, then ^ 2, then ^ 4, then ^ 8, then ^ 16
  {
    float other1 = subgroupShuffleXor(largest, 1u);
    float combined1 = (other1 < largest || isnan(largest)) ? largest : other1;
    float other2 = subgroupShuffleXor(combined1, 2u);
    float combined2 = (other2 < combined1 || isnan(combined1)) ? combined1 : other2;
    float other4 = subgroupShuffleXor(combined2, 4u);
    float combined4 = (other4 < combined2 || isnan(combined2)) ? combined2 : other4;
    float other8 = subgroupShuffleXor(combined4, 8u);
    float combined8 = (other8 < combined4 || isnan(combined4)) ? combined4 : other8;
    float other16 = subgroupShuffleXor(combined8, 16u);
    largest = (other16 < combined8 || isnan(combined8)) ? combined8 : other16;
  }

  if ((thread & 31u) == 0u) {
    // largest_partials <- largest, from one thread of each subgroup
    largest_partials[thread >> 5u] = largest;
  }

  barrier();
  largest = uintBitsToFloat(0xff800000u /* -infinity */);

  // largest <- max(largest, each of largest_partials)
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    float largest_partials_value = largest_partials[v0];
    largest = (largest_partials_value < largest || isnan(largest)) ? largest : largest_partials_value;
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
      read_block(block, block_x, thread, back);

      // x <- exp(x - before)
      [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
        x[v0] = exp(x[v0] - before);
      }
    }

    // x <- x * factor
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      x[v0] *= factor;
    }

    if (block_x < rows) {
      // copy slice(x, (_,0,_))
      //   to slice(moved_back(partition(tile(dst, (512,1)), (512,1)), back), (_,0,_))
      //   at (512 block, block_x)
      if (512u * block + 8u * thread - back < max(cols, 7u) - 7u) {
        // a whole vector
        dst_x8[(512u * block + 8u * thread - back + cols * block_x) >> 3u] = uvec4(
            packFloat2x16(f16vec2(float16_t(x[0]), float16_t(x[1]))),
            packFloat2x16(f16vec2(float16_t(x[2]), float16_t(x[3]))),
            packFloat2x16(f16vec2(float16_t(x[4]), float16_t(x[5]))),
            packFloat2x16(f16vec2(float16_t(x[6]), float16_t(x[7]))));
      } else {
        // one at an end of the row
        uint dst_col0 = 512u * block + 8u * thread - back;
        if (block_x < rows) {
          [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
            uint dst_col = dst_col0 + v0;
            if (dst_col < cols) {
              dst[dst_col + cols * block_x] = float16_t(x[v0]);
            }
          }
        }
      }
    }
  }
}
