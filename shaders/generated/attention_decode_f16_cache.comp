// generated: attention/decode  type=f16*q8_0*q4_0  width=64  page=32  lengths  rows=1  reads=2  threads=128
//   key-threads=8  subgroup-size=32  slices=0  shared-bytes=32768
// keys are split among workgroups and threads, which combine at the end
// vkmoye 0.1.0: vkmoye-bench emit attention/decode --type 'f16*q8_0*q4_0' --page 32 --lengths
//   --reads 2
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 128) in;

// (64,group*queries,kv_heads*batch)
layout(std430, binding = 0) readonly restrict buffer Q_x8 { uvec4 q_x8[]; };
layout(std430, binding = 1) readonly restrict buffer K { uint16_t k[]; };  // (34,32,kv_heads,stored)
layout(std430, binding = 2) readonly restrict buffer V { uint16_t v[]; };  // (18,32,kv_heads,stored)
layout(std430, binding = 3) readonly restrict buffer Pages { int pages[]; };  // (ceil(keys/32),batch)
layout(std430, binding = 4) readonly restrict buffer Lengths { int lengths[]; };  // (batch)
// (64,group*queries,kv_heads*batch,slices)
layout(std430, binding = 5) writeonly restrict buffer Slice_sums_x4 { vec4 slice_sums_x4[]; };
// (group*queries,kv_heads*batch,slices)
layout(std430, binding = 6) writeonly restrict buffer Slice_max { float slice_max[]; };
// (group*queries,kv_heads*batch,slices)
layout(std430, binding = 7) writeonly restrict buffer Slice_row_sums { float slice_row_sums[]; };
layout(push_constant) uniform Arguments { uint group, queries, kv_heads, batch, stored, keys; float scale;
    uint slices, first_group_x, first_group_y, first_group_z; };

shared float row_max_partials[32];  // (32,1):(1,32)
shared float row_sum_partials[32];  // (32,1):(1,32)
shared float sums_partials[256];  // (32,8):(1,32)

float sums[8];  // ((4,2),1,1):((1,4),8,8)
float row_max;
float rescale;
float row_sum;

void rescale_sums(float factor) {
  // rescale <- exp2((rescale - row_max) * factor): the factor of earlier sums
  rescale = exp2((rescale - row_max) * factor);

  row_sum *= rescale;

  // sums <- sums * rescale
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    sums[v0] *= rescale;
  }
}

void main() {
  int page;
  float q_elements[8];  // (8,1,1):(1,8,8)
  uint16_t read_k[4];  // (4,1,1):(1,4,4)
  uint16_t scales_of_k;
  uint16_t read_v[2];  // (2,1,1):(1,2,2)
  uint16_t scales_of_v;
  float key_elements[8];  // (8,1,1):(1,8,8)
  float value_elements[8];  // ((4,2),1,1):((1,4),8,8)
  float scores;
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint block_z = gl_WorkGroupID.z + first_group_z;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  float factor = scale * 1.442695 /* log2(e) */;
  uint entry = min(block_y / kv_heads, batch - 1u);
  uint kv_head = block_y % kv_heads;
  int given_length = lengths[entry];
  uint length = min(uint(max(given_length, 0)), keys);
  uint key_tiles = (length >> 4u) + min(length & 15u, 1u);  // ceil(length / 16)

  // copy partition(slice(tile(q, (64,1,1)), (_,_,0)), (64,1)) at (0, block_x, block_y)
  //   to q_elements
  {
    uint q_d = thread & 7u;
    if (block_x < group * queries && block_y < kv_heads * batch) {
      uvec4 value = q_x8[q_d + 8u * block_x + 8u * group * queries * block_y];
      q_elements[0] = float(unpackFloat2x16(value.x)[0]);
      q_elements[1] = float(unpackFloat2x16(value.x)[1]);
      q_elements[2] = float(unpackFloat2x16(value.y)[0]);
      q_elements[3] = float(unpackFloat2x16(value.y)[1]);
      q_elements[4] = float(unpackFloat2x16(value.z)[0]);
      q_elements[5] = float(unpackFloat2x16(value.z)[1]);
      q_elements[6] = float(unpackFloat2x16(value.w)[0]);
      q_elements[7] = float(unpackFloat2x16(value.w)[1]);
    } else {
      q_elements[0] = 0.0;
      q_elements[1] = 0.0;
      q_elements[2] = 0.0;
      q_elements[3] = 0.0;
      q_elements[4] = 0.0;
      q_elements[5] = 0.0;
      q_elements[6] = 0.0;
      q_elements[7] = 0.0;
    }
  }

  // row_max <- the least finite number; scores of unseen keys are less
  row_max = -3.4028235e+38;

  row_sum = 0.0;

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    sums[v0] = 0.0;
  }

  uint tiles_of_slice = (key_tiles + max(slices, 1u) - 1u) / max(slices, 1u);
  uint tiles_before = tiles_of_slice * block_z;
  uint own_tiles = min(max(key_tiles, tiles_before) - tiles_before, tiles_of_slice);

  [[dont_unroll]] for (uint key_tile = 0u; key_tile < own_tiles; ++key_tile) {
    {
      // the page of these keys:
      // copy tile(pages, (1,1))
      //   to page
      {
        uint pages_place = (16u * (tiles_before + key_tile) + (thread >> 3u)) >> 5u;
        if (pages_place < (keys >> 5u) + min(keys & 31u, 1u) && entry < batch) {
          page = pages[pages_place + ((keys >> 5u) + min(keys & 31u, 1u)) * entry];
        } else {
          page = 0;
        }
      }

      int given_page = page;
      uint own_page = uint(given_page);

      // copy slice(partition(composition(slice(tile(k, (34,1,1,1)), (_,_,0,0)),
      //   ((4,(4,2)),1):((1,(4,17)),34)), (32,1)), (_,_,0))
      //   to slice(read_k, (_,_,0))
      {
        uint k_word0 = 4u * (thread & 3u) + 17u * ((thread & 7u) >> 2u) + 1u;
        uint k_key = (16u * (tiles_before + key_tile) + (thread >> 3u)) & 31u;
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          uint k_word = k_word0 + v0;
          if (kv_head < kv_heads && own_page < stored) {
            read_k[v0] = k[k_word + 34u * k_key + 1088u * kv_head + 1088u * kv_heads * own_page];
          } else {
            read_k[v0] = uint16_t(0);
          }
        }
      }

      // copy slice(partition(composition(slice(tile(k, (34,1,1,1)), (_,_,0,0)),
      //   ((1,(4,2)),1):((1,(0,17)),34)), (8,1)), (_,_,0))
      //   to slice(scales_of_k, (_,_,0))
      {
        uint k_word = 17u * ((thread & 7u) >> 2u);
        uint k_key = (16u * (tiles_before + key_tile) + (thread >> 3u)) & 31u;
        if (kv_head < kv_heads && own_page < stored) {
          scales_of_k = k[k_word + 34u * k_key + 1088u * kv_head + 1088u * kv_heads * own_page];
        } else {
          scales_of_k = uint16_t(0);
        }
      }

      // copy slice(partition(composition(slice(tile(v, (18,1,1,1)), (_,_,0,0)),
      //   ((2,(4,2)),1):((1,(2,9)),18)), (16,1)), (_,_,0))
      //   to slice(read_v, (_,_,0))
      {
        uint v_word0 = 2u * (thread & 3u) + 9u * ((thread & 7u) >> 2u) + 1u;
        uint v_key = (16u * (tiles_before + key_tile) + (thread >> 3u)) & 31u;
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint v_word = v_word0 + v0;
          if (kv_head < kv_heads && own_page < stored) {
            read_v[v0] = v[v_word + 18u * v_key + 576u * kv_head + 576u * kv_heads * own_page];
          } else {
            read_v[v0] = uint16_t(0);
          }
        }
      }

      // copy slice(partition(composition(slice(tile(v, (18,1,1,1)), (_,_,0,0)),
      //   ((1,(4,2)),1):((1,(0,9)),18)), (8,1)), (_,_,0))
      //   to slice(scales_of_v, (_,_,0))
      {
        uint v_word = 9u * ((thread & 7u) >> 2u);
        uint v_key = (16u * (tiles_before + key_tile) + (thread >> 3u)) & 31u;
        if (kv_head < kv_heads && own_page < stored) {
          scales_of_v = v[v_word + 18u * v_key + 576u * kv_head + 576u * kv_heads * own_page];
        } else {
          scales_of_v = uint16_t(0);
        }
      }
    }

    // key_elements <- scale * (code - 128), from the codes in read_k
    [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
        float scale_of_part = unpackHalf2x16(uint(scales_of_k)).x;
        key_elements[v0 + 2u * v1] = fma(
            uintBitsToFloat(
              ((((uint(read_k[v1]) ^ 0x8080u) << 12u) >> (8u * v0)) & 0xff000u) | 0x45000000u /* 2048.0 */),
            scale_of_part, -(scale_of_part * 2176.0));
      }
    }

    scores = 0.0;

    // scores += key_elements * q_elements
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      scores = fma(key_elements[v0], q_elements[v0], scores);
    }

    // scores <- sum over lanes ^ 1, then ^ 2, then ^ 4
    {
      float other1 = subgroupShuffleXor(scores, 1u);
      float combined1 = scores + other1;
      float other2 = subgroupShuffleXor(combined1, 2u);
      float combined2 = combined1 + other2;
      float other4 = subgroupShuffleXor(combined2, 4u);
      scores = combined2 + other4;
    }

    if (length < 16u * (tiles_before + key_tile) + 16u) {
      // the last tile extends past the last key:
      // scores <- -infinity where the row does not see the key
      uint key_of_score = 16u * (tiles_before + key_tile) + (thread >> 3u);
      scores = (key_of_score < length) ? scores : uintBitsToFloat(0xff800000u /* -infinity */);
    }

    // rescale <- row_max, before it changes
    rescale = row_max;

    row_max = max(row_max, scores);
    rescale_sums(factor);

    // scores <- exp2((scores - row_max) * factor), the probabilities
    scores = exp2((scores - row_max) * factor);

    row_sum += scores;

    // value_elements <- scale * (code - 8), from the codes in read_v
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          float scale_of_part = unpackHalf2x16(uint(scales_of_v)).x;
          value_elements[v0 + 2u * v1 + 4u * v2] = fma(
              uintBitsToFloat(
                (((uint(read_v[v1]) << 12u) >> (8u * v0 + 4u * v2)) & 0xf000u) | 0x45000000u /* 2048.0 */),
              scale_of_part, -(scale_of_part * 2056.0));
        }
      }
    }

    if (length < 16u * (tiles_before + key_tile) + 16u) {
      // the entry ends in this tile:
      // 0 for the values of keys beyond it
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          value_elements[v0 + 4u * v1] = (16u * (tiles_before + key_tile) + (thread >> 3u) < length)
              ? value_elements[v0 + 4u * v1] : 0.0;
        }
      }
    }

    // sums += value_elements * scores
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      sums[v0] = fma(value_elements[v0], scores, sums[v0]);
    }
  }

  // rescale <- row_max, before it changes
  rescale = row_max;

  // row_max <- maximum over lanes ^ 8, then ^ 16
  {
    float other8 = subgroupShuffleXor(row_max, 8u);
    float combined8 = max(row_max, other8);
    float other16 = subgroupShuffleXor(combined8, 16u);
    row_max = max(combined8, other16);
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // row_max_partials <- row_max, from 8 threads of each subgroup
    row_max_partials[(thread & 7u) + 8u * (thread >> 5u)] = row_max;
  }

  barrier();
  row_max = uintBitsToFloat(0xff800000u /* -infinity */);

  // row_max <- max(row_max, each of row_max_partials)
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    row_max = max(row_max, row_max_partials[(thread & 7u) + 8u * v0]);
  }

  rescale_sums(factor);

  // row_sum <- sum over lanes ^ 8, then ^ 16
  {
    float other8 = subgroupShuffleXor(row_sum, 8u);
    float combined8 = row_sum + other8;
    float other16 = subgroupShuffleXor(combined8, 16u);
    row_sum = combined8 + other16;
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // row_sum_partials <- row_sum, from 8 threads of each subgroup
    row_sum_partials[(thread & 7u) + 8u * (thread >> 5u)] = row_sum;
  }

  barrier();
  row_sum = 0.0;

  // row_sum += each of row_sum_partials
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    row_sum += row_sum_partials[(thread & 7u) + 8u * v0];
  }

  // sums <- sum over lanes ^ 8, then ^ 16
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    float other8 = subgroupShuffleXor(sums[v0], 8u);
    float combined8 = sums[v0] + other8;
    float other16 = subgroupShuffleXor(combined8, 16u);
    sums[v0] = combined8 + other16;
  }

  if (((thread >> 3u) & 3u) == 0u) {
    // sums_partials <- sums, from 8 threads of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      sums_partials[(thread & 7u) + 8u * (thread >> 5u) + 32u * v0] = sums[v0];
    }
  }

  barrier();

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    sums[v0] = 0.0;
  }

  // sums += each of sums_partials
  [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      sums[v0] += sums_partials[(thread & 7u) + 32u * v0 + 8u * v1];
    }
  }

  if (thread < 8u) {
    // copy sums
    //   to partition(composition(slice(tile(slice_sums, (64,1,1,1)), (_,_,0,0)),
    //   (((4,2),(4,2)),1):(((1,16),(4,32)),64)), (64,1)) at (0, block_x, block_y, block_z)
    uint slice_sums_e0 = 4u * (thread & 3u) + 32u * (thread >> 2u);
    if (block_x < group * queries && block_y < kv_heads * batch && block_z < slices) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        uint slice_sums_e = (slice_sums_e0 >> 2u) + 4u * v1;
        slice_sums_x4[slice_sums_e + 16u * block_x + 16u * group * queries * block_y
            + 16u * group * queries * kv_heads * batch * block_z] =
            vec4(sums[4u * v1], sums[4u * v1 + 1u], sums[4u * v1 + 2u], sums[4u * v1 + 3u]);
      }
    }
  }

  if (thread == 0u) {
    // copy row_max
    //   to slice(tile(slice_max, (1,1,1)), (_,0,0)) at (block_x, block_y, block_z)
    if (block_x < group * queries && block_y < kv_heads * batch && block_z < slices) {
      slice_max[block_x + group * queries * block_y + group * queries * kv_heads * batch * block_z] =
          row_max;
    }

    // copy row_sum
    //   to slice(tile(slice_row_sums, (1,1,1)), (_,0,0)) at (block_x, block_y, block_z)
    if (block_x < group * queries && block_y < kv_heads * batch && block_z < slices) {
      slice_row_sums[block_x + group * queries * block_y + group * queries * kv_heads * batch * block_z] =
          row_sum;
    }
  }
}
