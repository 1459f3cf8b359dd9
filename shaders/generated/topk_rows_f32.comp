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

shared uint best_partials[2];  // (2,1):(1,2)
shared uint best_column_partials[2];  // (2,1):(1,2)

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

    // x <- 0
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      x[v0] = 0.0;
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
  uint best;
  uint best_column;
  uint before;
  uint keys[4];  // (4,1,1):(1,4,4)
  uint left[4];  // (4,1,1):(1,4,4)
  uint block_columns[4];  // (4,1,1):(1,4,4)
  uint last;
  uint last_column;
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
    read_block(0u, block_x, thread);

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
    best_column = 0xffffffffu;
    [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
      if (1u < blocks) {
        // a row of several blocks: read again
        read_block(block, block_x, thread);

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

      // best_column <- itself if it is of the largest key, else none
      best_column = (before == best) ? best_column : 0xffffffffu;

      uint largest = best;
      uint wanted = max(largest, 1u);

      // block_columns <- the columns of the largest keys
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        block_columns[v0] = (left[v0] == wanted) ? 256u * block + 4u * thread + v0 : 0xffffffffu;
      }

      // best_column <- min(best_column, each of block_columns)
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        best_column = min(best_column, block_columns[v0]);
      }
    }

    before = best;

    // best <- maximum over the lanes of the subgroup
    best = subgroupMax(best);

    if ((thread & 31u) == 0u) {
      // best_partials <- best, from one thread of each subgroup
      best_partials[thread >> 5u] = best;
    }

    barrier();
    best = 0u;

    // best <- max(best, each of best_partials)
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      best = max(best, best_partials[v0]);
    }

    // best_column <- itself if it is of the largest key, else none
    best_column = (before == best) ? best_column : 0xffffffffu;

    // best_column <- minimum over the lanes of the subgroup
    best_column = subgroupMin(best_column);

    if ((thread & 31u) == 0u) {
      // best_column_partials <- best_column, from one thread of each subgroup
      best_column_partials[thread >> 5u] = best_column;
    }

    barrier();
    best_column = 0xffffffffu;

    // best_column <- min(best_column, each of best_column_partials)
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      best_column = min(best_column, best_column_partials[v0]);
    }

    last = best;
    last_column = best_column;
    if (thread == 0u) {
      // values <- the number of the key
      if (block_x < rows) {
        values[taken + 4u * block_x] = (last == 0u) ? uintBitsToFloat(0xff800000u /* -infinity */)
            : ((last == 0xfffffffeu) ? uintBitsToFloat(0x7fc00000u /* NaN */)
            : uintBitsToFloat(last ^ ((last < 0x80000000u) ? 0xffffffffu : 0x80000000u)));
      }

      // copy last_column
      //   to partition(slice(tile(columns, (1,1)), (0,_)), (256,1)) at (taken, block_x)
      if (block_x < rows) {
        columns[taken + 4u * block_x] = last_column;
      }
    }
  }
}
