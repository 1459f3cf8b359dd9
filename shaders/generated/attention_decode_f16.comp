// generated: attention/decode  type=f16  width=64  rows=2  reads=2  threads=128  key-threads=8
//   subgroup-size=32  slices=0  shared-bytes=32768
// keys are split among workgroups and threads, which combine at the end
// vkmoye 0.1.0: vkmoye-bench emit attention/decode --type f16 --reads 2 --rows 2
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly restrict buffer Q_x8 { uvec4 q_x8[]; };  // (64,rows,heads)
layout(std430, binding = 1) readonly restrict buffer K_x8 { uvec4 k_x8[]; };  // (64,keys,heads)
layout(std430, binding = 2) readonly restrict buffer V_x8 { uvec4 v_x8[]; };  // (64,keys,heads)
// (64,rows,heads,slices)
layout(std430, binding = 3) writeonly restrict buffer Slice_sums_x4 { vec4 slice_sums_x4[]; };
// (rows,heads,slices)
layout(std430, binding = 4) writeonly restrict buffer Slice_max { float slice_max[]; };
// (rows,heads,slices)
layout(std430, binding = 5) writeonly restrict buffer Slice_row_sums { float slice_row_sums[]; };
layout(push_constant) uniform Arguments { uint rows, heads, keys, queries; float scale;
    uint slices, first_group_x, first_group_y, first_group_z; };

shared float row_max_partials[64];  // (32,2):(1,32)
shared float row_sum_partials[64];  // (32,2):(1,32)
shared float sums_partials[512];  // (32,16):(1,32)

float sums[16];  // (8,1,2):(1,8,8)
float row_max[2];  // (1,1,1,2):(1,1,1,1)
float rescale[2];  // (1,1,1,2):(1,1,1,1)
float row_sum[2];  // (1,1,1,2):(1,1,1,1)

void rescale_sums(float factor) {
  // rescale <- exp2((rescale - row_max) * factor): the factor of earlier sums
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    rescale[v0] = exp2((rescale[v0] - row_max[v0]) * factor);
  }

  // row_sum <- row_sum * rescale
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    row_sum[v0] *= rescale[v0];
  }

  // sums <- sums * rescale
  [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      sums[v0 + 8u * v1] *= rescale[v1];
    }
  }
}

void main() {
  float q_elements[16];  // (8,1,2):(1,8,8)
  uvec4 read_k[2];  // (8,1,2):(1,8,8), in f16
  uvec4 read_v[2];  // (8,1,2):(1,8,8), in f16
  float key_elements[16];  // (8,1,2):(1,8,8)
  float value_elements[16];  // (8,1,2):(1,8,8)
  float scores[4];  // (1,1,2,2):(1,1,1,2)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint block_z = gl_WorkGroupID.z + first_group_z;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  float factor = scale * 1.442695 /* log2(e) */;
  uint key_tiles = (keys >> 5u) + min(keys & 31u, 1u);  // ceil(keys / 32)

  // copy partition(slice(tile(q, (64,2,1)), (_,_,0)), (64,1)) at (0, 2 block_x, block_y)
  //   to q_elements
  {
    uint q_d = thread & 7u;
    uint q_row0 = 2u * block_x;
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      uint q_row = q_row0 + v2;
      if (block_y < heads && q_row < rows) {
        uvec4 value = q_x8[q_d + 8u * q_row + 8u * rows * block_y];
        q_elements[8u * v2] = float(unpackFloat2x16(value.x)[0]);
        q_elements[8u * v2 + 1u] = float(unpackFloat2x16(value.x)[1]);
        q_elements[8u * v2 + 2u] = float(unpackFloat2x16(value.y)[0]);
        q_elements[8u * v2 + 3u] = float(unpackFloat2x16(value.y)[1]);
        q_elements[8u * v2 + 4u] = float(unpackFloat2x16(value.z)[0]);
        q_elements[8u * v2 + 5u] = float(unpackFloat2x16(value.z)[1]);
        q_elements[8u * v2 + 6u] = float(unpackFloat2x16(value.w)[0]);
        q_elements[8u * v2 + 7u] = float(unpackFloat2x16(value.w)[1]);
      } else {
        q_elements[8u * v2] = 0.0;
        q_elements[8u * v2 + 1u] = 0.0;
        q_elements[8u * v2 + 2u] = 0.0;
        q_elements[8u * v2 + 3u] = 0.0;
        q_elements[8u * v2 + 4u] = 0.0;
        q_elements[8u * v2 + 5u] = 0.0;
        q_elements[8u * v2 + 6u] = 0.0;
        q_elements[8u * v2 + 7u] = 0.0;
      }
    }
  }

  // row_max <- the least finite number; scores of unseen keys are less
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    row_max[v0] = -3.4028235e+38;
  }

  // row_sum <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    row_sum[v0] = 0.0;
  }

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
    sums[v0] = 0.0;
  }

  uint tiles_of_slice = (key_tiles + max(slices, 1u) - 1u) / max(slices, 1u);
  uint tiles_before = tiles_of_slice * block_z;
  uint own_tiles = min(max(key_tiles, tiles_before) - tiles_before, tiles_of_slice);

  [[dont_unroll]] for (uint key_tile = 0u; key_tile < own_tiles; ++key_tile) {
    // copy partition(slice(tile(k, (64,32,1)), (_,_,0)), (64,16))
    //   at (0, 32 (tiles_before + key_tile), block_y)
    //   to read_k
    {
      uint k_d = thread & 7u;
      uint k_key0 = 32u * (tiles_before + key_tile) + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        uint k_key = k_key0 + 16u * v2;
        if (block_y < heads && k_key < keys) {
          read_k[v2] = k_x8[k_d + 8u * k_key + 8u * keys * block_y];
        } else {
          read_k[v2] = uvec4(0u);
        }
      }
    }

    // copy partition(slice(tile(v, (64,32,1)), (_,_,0)), (64,16))
    //   at (0, 32 (tiles_before + key_tile), block_y)
    //   to read_v
    {
      uint v_e = thread & 7u;
      uint v_key0 = 32u * (tiles_before + key_tile) + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        uint v_key = v_key0 + 16u * v2;
        if (block_y < heads && v_key < keys) {
          read_v[v2] = v_x8[v_e + 8u * v_key + 8u * keys * block_y];
        } else {
          read_v[v2] = uvec4(0u);
        }
      }
    }

    // copy read_k
    //   to key_elements
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      key_elements[8u * v2] = float(unpackFloat2x16(read_k[v2].x)[0]);
      key_elements[8u * v2 + 1u] = float(unpackFloat2x16(read_k[v2].x)[1]);
      key_elements[8u * v2 + 2u] = float(unpackFloat2x16(read_k[v2].y)[0]);
      key_elements[8u * v2 + 3u] = float(unpackFloat2x16(read_k[v2].y)[1]);
      key_elements[8u * v2 + 4u] = float(unpackFloat2x16(read_k[v2].z)[0]);
      key_elements[8u * v2 + 5u] = float(unpackFloat2x16(read_k[v2].z)[1]);
      key_elements[8u * v2 + 6u] = float(unpackFloat2x16(read_k[v2].w)[0]);
      key_elements[8u * v2 + 7u] = float(unpackFloat2x16(read_k[v2].w)[1]);
    }

    // scores <- 0
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      scores[v0] = 0.0;
    }

    // scores += key_elements * q_elements
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
          scores[v1 + 2u * v2] =
              fma(key_elements[v0 + 8u * v1], q_elements[v0 + 8u * v2], scores[v1 + 2u * v2]);
        }
      }
    }

    // scores <- sum over lanes ^ 1, then ^ 2, then ^ 4
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      float other1 = subgroupShuffleXor(scores[v0], 1u);
      float combined1 = scores[v0] + other1;
      float other2 = subgroupShuffleXor(combined1, 2u);
      float combined2 = combined1 + other2;
      float other4 = subgroupShuffleXor(combined2, 4u);
      scores[v0] = combined2 + other4;
    }

    if (keys < 32u * (tiles_before + key_tile) + 32u) {
      // the last tile extends past the last key:
      // scores <- -infinity where the row does not see the key
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint key_of_score = 32u * (tiles_before + key_tile) + (thread >> 3u) + 16u * v0;
          scores[v0 + 2u * v1] =
              (key_of_score < keys) ? scores[v0 + 2u * v1] : uintBitsToFloat(0xff800000u /* -infinity */);
        }
      }
    }

    // rescale <- row_max, before it changes
    [[unroll]] for (uint v3 = 0u; v3 < 2u; ++v3) {
      rescale[v3] = row_max[v3];
    }

    // row_max <- max(row_max, each of scores)
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
        row_max[v1] = max(row_max[v1], scores[v0 + 2u * v1]);
      }
    }

    rescale_sums(factor);

    // scores <- exp2((scores - row_max) * factor), the probabilities
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
        scores[v0 + 2u * v1] = exp2((scores[v0 + 2u * v1] - row_max[v1]) * factor);
      }
    }

    // row_sum += each of scores
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
        row_sum[v1] += scores[v0 + 2u * v1];
      }
    }

    // copy read_v
    //   to value_elements
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      value_elements[8u * v2] = float(unpackFloat2x16(read_v[v2].x)[0]);
      value_elements[8u * v2 + 1u] = float(unpackFloat2x16(read_v[v2].x)[1]);
      value_elements[8u * v2 + 2u] = float(unpackFloat2x16(read_v[v2].y)[0]);
      value_elements[8u * v2 + 3u] = float(unpackFloat2x16(read_v[v2].y)[1]);
      value_elements[8u * v2 + 4u] = float(unpackFloat2x16(read_v[v2].z)[0]);
      value_elements[8u * v2 + 5u] = float(unpackFloat2x16(read_v[v2].z)[1]);
      value_elements[8u * v2 + 6u] = float(unpackFloat2x16(read_v[v2].w)[0]);
      value_elements[8u * v2 + 7u] = float(unpackFloat2x16(read_v[v2].w)[1]);
    }

    // sums += value_elements * scores
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
          sums[v0 + 8u * v2] = fma(value_elements[v0 + 8u * v1], scores[v1 + 2u * v2], sums[v0 + 8u * v2]);
        }
      }
    }
  }

  // rescale <- row_max, before it changes
  [[unroll]] for (uint v3 = 0u; v3 < 2u; ++v3) {
    rescale[v3] = row_max[v3];
  }

  // row_max <- maximum over lanes ^ 8, then ^ 16
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    float other8 = subgroupShuffleXor(row_max[v0], 8u);
    float combined8 = max(row_max[v0], other8);
    float other16 = subgroupShuffleXor(combined8, 16u);
    row_max[v0] = max(combined8, other16);
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // row_max_partials <- row_max, from 8 threads of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      row_max_partials[(thread & 7u) + 8u * (thread >> 5u) + 32u * v0] = row_max[v0];
    }
  }

  barrier();

  // row_max <- -infinity
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    row_max[v0] = uintBitsToFloat(0xff800000u /* -infinity */);
  }

  // row_max <- max(row_max, each of row_max_partials)
  [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      row_max[v0] = max(row_max[v0], row_max_partials[(thread & 7u) + 32u * v0 + 8u * v1]);
    }
  }

  rescale_sums(factor);

  // row_sum <- sum over lanes ^ 8, then ^ 16
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    float other8 = subgroupShuffleXor(row_sum[v0], 8u);
    float combined8 = row_sum[v0] + other8;
    float other16 = subgroupShuffleXor(combined8, 16u);
    row_sum[v0] = combined8 + other16;
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // row_sum_partials <- row_sum, from 8 threads of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      row_sum_partials[(thread & 7u) + 8u * (thread >> 5u) + 32u * v0] = row_sum[v0];
    }
  }

  barrier();

  // row_sum <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    row_sum[v0] = 0.0;
  }

  // row_sum += each of row_sum_partials
  [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      row_sum[v0] += row_sum_partials[(thread & 7u) + 32u * v0 + 8u * v1];
    }
  }

  // sums <- sum over lanes ^ 8, then ^ 16
  [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
    float other8 = subgroupShuffleXor(sums[v0], 8u);
    float combined8 = sums[v0] + other8;
    float other16 = subgroupShuffleXor(combined8, 16u);
    sums[v0] = combined8 + other16;
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // sums_partials <- sums, from 8 threads of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
      sums_partials[(thread & 7u) + 8u * (thread >> 5u) + 32u * v0] = sums[v0];
    }
  }

  barrier();

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
    sums[v0] = 0.0;
  }

  // sums += each of sums_partials
  [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
      sums[v0] += sums_partials[(thread & 7u) + 32u * v0 + 8u * v1];
    }
  }

  if (thread < 8u) {
    // copy sums
    //   to partition(slice(tile(slice_sums, (64,2,1,1)), (_,_,0,0)), (64,1))
    //   at (0, 2 block_x, block_y, block_z)
    uint slice_sums_e0 = 8u * thread;
    uint slice_sums_row0 = 2u * block_x;
    if (block_y < heads && block_z < slices) {
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint slice_sums_e = (slice_sums_e0 >> 2u) + v0;
          uint slice_sums_row = slice_sums_row0 + v2;
          if (slice_sums_row < rows) {
            slice_sums_x4[slice_sums_e + 16u * slice_sums_row + 16u * rows * block_y
                + 16u * rows * heads * block_z] =
                vec4(sums[4u * v0 + 8u * v2], sums[4u * v0 + 8u * v2 + 1u], sums[4u * v0 + 8u * v2 + 2u],
                sums[4u * v0 + 8u * v2 + 3u]);
          }
        }
      }
    }
  }

  if (thread == 0u) {
    // copy row_max
    //   to slice(tile(slice_max, (2,1,1)), (_,0,0)) at (2 block_x, block_y, block_z)
    {
      uint slice_max_row0 = 2u * block_x;
      if (block_y < heads && block_z < slices) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint slice_max_row = slice_max_row0 + v0;
          if (slice_max_row < rows) {
            slice_max[slice_max_row + rows * block_y + rows * heads * block_z] = row_max[v0];
          }
        }
      }
    }

    // copy row_sum
    //   to slice(tile(slice_row_sums, (2,1,1)), (_,0,0)) at (2 block_x, block_y, block_z)
    {
      uint slice_row_sums_row0 = 2u * block_x;
      if (block_y < heads && block_z < slices) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint slice_row_sums_row = slice_row_sums_row0 + v0;
          if (slice_row_sums_row < rows) {
            slice_row_sums[slice_row_sums_row + rows * block_y + rows * heads * block_z] = row_sum[v0];
          }
        }
      }
    }
  }
}
