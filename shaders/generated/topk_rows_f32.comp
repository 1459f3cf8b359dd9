// generated: topk/rows  type=f32  k=4  threads=64  subgroup-size=32  columns=64  rounds=1  vector=16
// maxima, each over the elements behind the one before it
// vkmoye 0.1.0: vkmoye-bench emit topk/rows --type f32 --k 4 --rounds 1 --threads 64
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x4 { vec4 src_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Values { float values[]; };  // (4,rows)
layout(std430, binding = 2) writeonly restrict buffer Places { uint places[]; };  // (4,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared uint last_partials[2];  // (2,1):(1,2)
shared uint last_place_partials[2];  // (2,1):(1,2)

void main() {
  float x[4];  // (4,1,1):(1,4,4)
  uint keys[4];  // (4,1,1):(1,4,4)
  uint columns[4];  // (4,1,1):(1,4,4)
  uint last;
  uint last_place;
  uint best;
  uint before;
  uint own_place;
  uint place_in_block;
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  uint blocks = (cols >> 8u) + min(cols & 255u, 1u);

  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    if (256u * block + 255u < cols && block_x < rows && (cols & 3u) == 0u) {
      // a whole tile, rows aligned:
      // partition(tile(src, (256,1)), (256,1)) at (256 block, block_x)
      // -> x
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

      // partition(tile(src, (256,1)), (256,1)) at (256 block, block_x)
      // -> x
      if ((cols & 3u) == 0u) {
        // 4 elements at a time
        uint src_col = 256u * block + 4u * thread;
        if (src_col < cols && block_x < rows) {
          vec4 value = src_x4[(src_col >> 2u) + ((cols * block_x) >> 2u)];
          x[0] = value.x;
          x[1] = value.y;
          x[2] = value.z;
          x[3] = value.w;
        }
      } else {
        // one element at a time
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
  }

  // last <- 4294967295
  last = 4294967295u;

  // last_place <- 4294967295
  last_place = 4294967295u;

  for (uint taken = 0u; taken < 4u; ++taken) {
    // best <- 0
    best = 0u;

    // own_place <- 4294967295
    own_place = 4294967295u;

    [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
      if (1u < blocks) {
        if (256u * block + 255u < cols && block_x < rows && (cols & 3u) == 0u) {
          // a whole tile, rows aligned:
          // partition(tile(src, (256,1)), (256,1)) at (256 block, block_x)
          // -> x
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

          // partition(tile(src, (256,1)), (256,1)) at (256 block, block_x)
          // -> x
          if ((cols & 3u) == 0u) {
            // 4 elements at a time
            uint src_col = 256u * block + 4u * thread;
            if (src_col < cols && block_x < rows) {
              vec4 value = src_x4[(src_col >> 2u) + ((cols * block_x) >> 2u)];
              x[0] = value.x;
              x[1] = value.y;
              x[2] = value.z;
              x[3] = value.w;
            }
          } else {
            // one element at a time
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
      }

      // keys <- numbers in the order of x, 0 for those that are taken
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        uint bits = floatBitsToUint((x[v0] == 0.0) ? 0.0 : x[v0]);
        uint key = isnan(x[v0]) ? 4294967294u : bits ^ ((bits < 2147483648u) ? 2147483648u : 4294967295u);
        keys[v0] = (256u * block + 4u * thread + v0 < cols
            && (key < last || key == last && last_place < 256u * block + 4u * thread + v0)) ? key : 0u;
      }

      // best
      // -> before
      before = best;

      // best <- max(best, each of keys)
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        best = max(best, keys[v0]);
      }

      // columns <- those of the largest keys
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        columns[v0] = (keys[v0] == best) ? 256u * block + 4u * thread + v0 : 4294967295u;
      }

      // place_in_block <- 4294967295
      place_in_block = 4294967295u;

      // place_in_block <- min(place_in_block, each of columns)
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        place_in_block = min(place_in_block, columns[v0]);
      }

      // own_place <- select(before < best, place_in_block, own_place)
      own_place = (before < best) ? place_in_block : own_place;
    }

    // best
    // -> last
    last = best;

    // last <- maximum over the lanes of the subgroup
    last = subgroupMax(last);

    if ((thread & 31u) == 0u) {
      // last_partials <- last, from one thread of each subgroup
      last_partials[thread >> 5u] = last;
    }

    barrier();

    // last <- 0
    last = 0u;

    // last <- max(last, last_partials)
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      last = max(last, last_partials[v1]);
    }

    // last_place <- the first column of that key
    last_place = (best == last) ? own_place : 4294967295u;

    // last_place <- minimum over the lanes of the subgroup
    last_place = subgroupMin(last_place);

    if ((thread & 31u) == 0u) {
      // last_place_partials <- last_place, from one thread of each subgroup
      last_place_partials[thread >> 5u] = last_place;
    }

    barrier();

    // last_place <- 4294967295
    last_place = 4294967295u;

    // last_place <- min(last_place, last_place_partials)
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      last_place = min(last_place, last_place_partials[v1]);
    }

    if (thread == 0u) {
      // values <- the number of the key
      if (block_x < rows) {
        values[taken + 4u * block_x] = (last == 0u) ? uintBitsToFloat(0xff800000u /* -infinity */)
            : ((last == 4294967294u) ? uintBitsToFloat(0x7fc00000u /* NaN */)
            : uintBitsToFloat(last ^ ((last < 2147483648u) ? 4294967295u : 2147483648u)));
      }

      // last_place
      // -> parallelize(tile(places, (1,1)), (1,1):(1,1)) at (taken, block_x)
      if (block_x < rows) {
        places[taken + 4u * block_x] = last_place;
      }
    }
  }
}
