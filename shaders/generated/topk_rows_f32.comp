// generated: topk/rows  type=f32  k=4  threads=64  subgroup-size=32  columns=64  rounds=1  vector=16
// k passes; each finds the largest element not yet taken
// vkmoye 0.1.0: vkmoye-bench emit topk/rows --type f32 --k 4 --rounds 1 --threads 64
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x4 { vec4 src_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Values { float values[]; };  // (4,rows)
layout(std430, binding = 2) writeonly restrict buffer Columns { uint columns[]; };  // (4,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared uint last_partials[2];  // (2,1):(1,2)
shared uint last_column_partials[2];  // (2,1):(1,2)

void main() {
  float x[4];  // (4,1,1):(1,4,4)
  uint keys[4];  // (4,1,1):(1,4,4)
  uint left[4];  // (4,1,1):(1,4,4)
  uint block_columns[4];  // (4,1,1):(1,4,4)
  uint last;
  uint last_column;
  uint best;
  uint before;
  uint own_column;
  uint first_in_block;
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  uint blocks = (cols >> 8u) + min(cols & 255u, 1u);  // ceil(cols / 256)

  // keys <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    keys[v0] = 0u;
  }

  if (0u < blocks && blocks < 2u) {
    // a row of one block
    if (255u < cols && block_x < rows && (cols & 3u) == 0u) {
      // a whole tile, rows aligned:
      // copy partition(tile(src, (256,1)), (256,1)) at (0, block_x)
      //   to x
      vec4 value = src_x4[thread + ((cols * block_x) >> 2u)];
      x[0] = value.x;
      x[1] = value.y;
      x[2] = value.z;
      x[3] = value.w;
    } else {
      // a tile at an edge, or rows that are not aligned

      // x <- 0
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        x[v0] = 0.0;
      }

      // copy partition(tile(src, (256,1)), (256,1)) at (0, block_x)
      //   to x
      if ((cols & 3u) == 0u) {
        // rows aligned: loads outside are moved inside, and not used
        uint src_col = 4u * thread;
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
        uint src_col0 = 4u * thread;
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

    // keys <- numbers in the order of x, 0 past the end of the row
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      uint bits = floatBitsToUint((x[v0] == 0.0) ? 0.0 : x[v0]);
      uint key = isnan(x[v0]) ? 0xfffffffeu : bits ^ ((bits < 0x80000000u) ? 0x80000000u : 0xffffffffu);
      keys[v0] = (4u * thread + v0 < cols) ? key : 0u;
    }
  }

  last = 0xffffffffu;
  last_column = 0xffffffffu;

  for (uint taken = 0u; taken < 4u; ++taken) {
    best = 0u;
    own_column = 0xffffffffu;
    [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
      if (1u < blocks) {
        // a row of several blocks: read again
        if (256u * block + 255u < cols && block_x < rows && (cols & 3u) == 0u) {
          // a whole tile, rows aligned:
          // copy partition(tile(src, (256,1)), (256,1)) at (256 block, block_x)
          //   to x
          vec4 value = src_x4[64u * block + thread + ((cols * block_x) >> 2u)];
          x[0] = value.x;
          x[1] = value.y;
          x[2] = value.z;
          x[3] = value.w;
        } else {
          // a tile at an edge, or rows that are not aligned

          // x <- 0
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            x[v0] = 0.0;
          }

          // copy partition(tile(src, (256,1)), (256,1)) at (256 block, block_x)
          //   to x
          if ((cols & 3u) == 0u) {
            // rows aligned: loads outside are moved inside, and not used
            uint src_col = 256u * block + 4u * thread;
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
            uint src_col0 = 256u * block + 4u * thread;
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

        // keys <- numbers in the order of x, 0 past the end of the row
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          uint bits = floatBitsToUint((x[v0] == 0.0) ? 0.0 : x[v0]);
          uint key = isnan(x[v0]) ? 0xfffffffeu : bits ^ ((bits < 0x80000000u) ? 0x80000000u : 0xffffffffu);
          keys[v0] = (256u * block + 4u * thread + v0 < cols) ? key : 0u;
        }
      }

      // left <- the keys that are not taken
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        left[v0] = (keys[v0] < last || (keys[v0] == last && last_column < 256u * block + 4u * thread + v0))
            ? keys[v0] : 0u;
      }

      before = best;

      // best <- max(best, each of left)
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        best = max(best, left[v0]);
      }

      // block_columns <- the columns of the largest keys
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        block_columns[v0] = (left[v0] == best) ? 256u * block + 4u * thread + v0 : 0xffffffffu;
      }

      first_in_block = 0xffffffffu;

      // first_in_block <- min(first_in_block, each of block_columns)
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        first_in_block = min(first_in_block, block_columns[v0]);
      }

      // own_column <- first_in_block if the block has a larger key
      own_column = (before < best) ? first_in_block : own_column;
    }

    last = best;

    // last <- maximum over the lanes of the subgroup
    last = subgroupMax(last);

    if ((thread & 31u) == 0u) {
      // last_partials <- last, from one thread of each subgroup
      last_partials[thread >> 5u] = last;
    }

    barrier();

    last = 0u;

    // last <- max(last, each of last_partials)
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      last = max(last, last_partials[v0]);
    }

    // last_column <- the first column of that key
    last_column = (best == last) ? own_column : 0xffffffffu;

    // last_column <- minimum over the lanes of the subgroup
    last_column = subgroupMin(last_column);

    if ((thread & 31u) == 0u) {
      // last_column_partials <- last_column, from one thread of each subgroup
      last_column_partials[thread >> 5u] = last_column;
    }

    barrier();

    last_column = 0xffffffffu;

    // last_column <- min(last_column, each of last_column_partials)
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      last_column = min(last_column, last_column_partials[v0]);
    }

    if (thread == 0u) {
      // values <- the number of the key
      if (block_x < rows) {
        values[taken + 4u * block_x] = (last == 0u) ? uintBitsToFloat(0xff800000u /* -infinity */)
            : ((last == 0xfffffffeu) ? uintBitsToFloat(0x7fc00000u /* NaN */)
            : uintBitsToFloat(last ^ ((last < 0x80000000u) ? 0xffffffffu : 0x80000000u)));
      }

      // copy last_column
      //   to parallelize(tile(columns, (1,1)), (1,1):(1,1)) at (taken, block_x)
      if (block_x < rows) {
        columns[taken + 4u * block_x] = last_column;
      }
    }
  }
}
