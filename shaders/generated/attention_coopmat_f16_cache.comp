// generated: attention/coopmat  type=f16*q8_0*q4_0  width=64  page=32  lengths  atom=16x16x16
//   subgroup-size=32  rows=16  keys=32  subgroups=8  shared-bytes=32768  prefetch=yes  scores-ahead=no
//   unroll=no  order-c=((8,2),(2,4,2)):((32,4),(1,8,2))  order-a=((8,2),(2,4,2)):((32,4),(1,8,2))
// scores stay in registers; the next tiles of k and v are fetched meanwhile
// vkmoye 0.1.0: vkmoye-bench emit attention/coopmat --type 'f16*q8_0*q4_0' --page 32 --lengths
//   --keys 32 --order-a '((8,2),(2,4,2)):((32,4),(1,8,2))'
//   --order-c '((8,2),(2,4,2)):((32,4),(1,8,2))'
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 256) in;

// (64,group*queries,kv_heads*batch)
layout(std430, binding = 0) readonly restrict buffer Q_x8 { uvec4 q_x8[]; };
layout(std430, binding = 1) readonly restrict buffer K { uint16_t k[]; };  // (34,32,kv_heads,stored)
layout(std430, binding = 2) readonly restrict buffer V { uint16_t v[]; };  // (18,32,kv_heads,stored)
layout(std430, binding = 3) readonly restrict buffer Pages { int pages[]; };  // (ceil(keys/32),batch)
layout(std430, binding = 4) readonly restrict buffer Lengths { int lengths[]; };  // (batch)
// (64,group*queries,kv_heads*batch)
layout(std430, binding = 5) writeonly restrict buffer O { float16_t o[]; };
layout(push_constant) uniform Arguments { uint group, queries, kv_heads, batch, stored, keys; float scale;
    uint first_group_x, first_group_y; };

shared uvec4 shared_k[287];  // (64,32):(1,72), in f16
shared f16vec4 shared_v[574];  // (64,32):(1,72), in f16

int page;
uint16_t next_k[4];  // (4,1,1):(1,4,4)
uint16_t scales_of_k;
uint16_t next_v[2];  // (2,1,1):(1,2,2)
uint16_t scales_of_v;

void fetch_keys(uint tile_of_keys, uint entry, uint thread, uint kv_head) {
  // the page of these keys:
  // copy tile(pages, (1,1)) at (tile_of_keys, entry)
  //   to page
  if (tile_of_keys < (keys >> 5u) + min(keys & 31u, 1u) && entry < batch) {
    page = pages[tile_of_keys + ((keys >> 5u) + min(keys & 31u, 1u)) * entry];
  } else {
    page = 0;
  }

  int given_page = page;
  uint own_page = uint(given_page);

  // copy partition(composition(slice(tile(k, (34,32,1,1)), (_,_,0,0)), ((4,(4,2)),32):((1,(4,17)),34)),
  //   (32,32)) at (0, 0, kv_head, own_page)
  //   to next_k
  {
    uint k_word0 = 4u * (thread & 3u) + 17u * ((thread >> 2u) & 1u) + 1u;
    uint k_key = thread >> 3u;
    [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
      uint k_word = k_word0 + v0;
      if (kv_head < kv_heads && own_page < stored) {
        next_k[v0] = k[k_word + 34u * k_key + 1088u * kv_head + 1088u * kv_heads * own_page];
      } else {
        next_k[v0] = uint16_t(0);
      }
    }
  }

  // copy partition(composition(slice(tile(k, (34,32,1,1)), (_,_,0,0)), ((1,(4,2)),32):((1,(0,17)),34)),
  //   (8,32)) at (0, 0, kv_head, own_page)
  //   to scales_of_k
  {
    uint k_word = 17u * ((thread >> 2u) & 1u);
    uint k_key = thread >> 3u;
    if (kv_head < kv_heads && own_page < stored) {
      scales_of_k = k[k_word + 34u * k_key + 1088u * kv_head + 1088u * kv_heads * own_page];
    } else {
      scales_of_k = uint16_t(0);
    }
  }

  // copy partition(composition(slice(tile(v, (18,32,1,1)), (_,_,0,0)), ((2,(4,2)),32):((1,(2,9)),18)),
  //   (16,32)) at (0, 0, kv_head, own_page)
  //   to next_v
  {
    uint v_word0 = 2u * (thread & 3u) + 9u * ((thread >> 2u) & 1u) + 1u;
    uint v_key = thread >> 3u;
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      uint v_word = v_word0 + v0;
      if (kv_head < kv_heads && own_page < stored) {
        next_v[v0] = v[v_word + 18u * v_key + 576u * kv_head + 576u * kv_heads * own_page];
      } else {
        next_v[v0] = uint16_t(0);
      }
    }
  }

  // copy partition(composition(slice(tile(v, (18,32,1,1)), (_,_,0,0)), ((1,(4,2)),32):((1,(0,9)),18)),
  //   (8,32)) at (0, 0, kv_head, own_page)
  //   to scales_of_v
  {
    uint v_word = 9u * ((thread >> 2u) & 1u);
    uint v_key = thread >> 3u;
    if (kv_head < kv_heads && own_page < stored) {
      scales_of_v = v[v_word + 18u * v_key + 576u * kv_head + 576u * kv_heads * own_page];
    } else {
      scales_of_v = uint16_t(0);
    }
  }
}

void main() {
  float elements_of_k[8];  // (8,1,1):(1,8,8)
  float elements_of_v[8];  // ((4,2),1,1):((1,4),8,8)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> query[4];  // (1,4)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b[1];  // (1,1)
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> scores[2];  // (1,2)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> probabilities[2];  // (1,2)
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[4];  // (1,4)
  uvec4 next_q;
  float row_max[2];  // (1,(2,1)):(1,(1,2))
  float rescale[2];  // (1,(2,1)):(1,(1,2))
  float row_sum[2];  // (1,(2,1)):(1,(1,2))
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  float factor = scale * 1.442695 /* log2(e) */;
  uint entry = min(block_y / kv_heads, batch - 1u);
  uint kv_head = block_y % kv_heads;
  int given_length = lengths[entry];
  uint length = min(uint(max(given_length, 0)), keys);
  uint key_tiles = (length >> 5u) + min(length & 31u, 1u);  // ceil(length / 32)

  // q goes through the tile of k, 32 rows at a time
  for (uint part = 0u; part < 4u; ++part) {
    // copy partition(slice(tile(q, (64,32,1)), (_,_,0)), (64,32)) at (0, 32 (4 block_x + part), block_y)
    //   to next_q
    {
      uint q_d = thread & 7u;
      uint q_row = 32u * (4u * block_x + part) + (thread >> 3u);
      if (q_row < group * queries && block_y < kv_heads * batch) {
        next_q = q_x8[q_d + 8u * q_row + 8u * group * queries * block_y];
      } else {
        next_q = uvec4(0u);
      }
    }

    barrier();

    // copy next_q
    //   to partition(shared_k, (64,32))
    shared_k[(thread & 7u) + 9u * (thread >> 3u)] = next_q;

    barrier();
    if ((subgroup >> 1u) == part) {
      // load transpose(tile(shared_k, (64,16)))
      //   into query
      [[unroll]] for (uint j = 0u; j < 4u; ++j) {
        coopMatLoad(query[j], shared_k, 144u * (subgroup & 1u) + 2u * j, 9u,
            gl_CooperativeMatrixLayoutRowMajor);
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
  [[unroll]] for (uint j = 0u; j < 4u; ++j) {
    sums[j] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
  }

  fetch_keys(0u, entry, thread, kv_head);

  [[dont_unroll]] for (uint key_tile = 0u; key_tile < key_tiles; ++key_tile) {
    barrier();

    // elements_of_k <- scale * (code - 128), from the codes in next_k
    [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
        float scale_of_part = unpackHalf2x16(uint(scales_of_k)).x;
        elements_of_k[v0 + 2u * v1] = fma(
            uintBitsToFloat(
              ((((uint(next_k[v1]) ^ 0x8080u) << 12u) >> (8u * v0)) & 0xff000u) | 0x45000000u /* 2048.0 */),
            scale_of_part, -(scale_of_part * 2176.0));
      }
    }

    // copy elements_of_k
    //   to partition(shared_k, (64,32))
    shared_k[(thread & 7u) + 9u * (thread >> 3u)] = uvec4(
        packFloat2x16(f16vec2(float16_t(elements_of_k[0]), float16_t(elements_of_k[1]))),
        packFloat2x16(f16vec2(float16_t(elements_of_k[2]), float16_t(elements_of_k[3]))),
        packFloat2x16(f16vec2(float16_t(elements_of_k[4]), float16_t(elements_of_k[5]))),
        packFloat2x16(f16vec2(float16_t(elements_of_k[6]), float16_t(elements_of_k[7]))));

    // elements_of_v <- scale * (code - 8), from the codes in next_v
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          float scale_of_part = unpackHalf2x16(uint(scales_of_v)).x;
          elements_of_v[v0 + 2u * v1 + 4u * v2] = fma(
              uintBitsToFloat(
                (((uint(next_v[v1]) << 12u) >> (8u * v0 + 4u * v2)) & 0xf000u) | 0x45000000u /* 2048.0 */),
              scale_of_part, -(scale_of_part * 2056.0));
        }
      }
    }

    if (length < 32u * key_tile + 32u) {
      // the entry ends in this tile:
      // 0 for the values of keys beyond it
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          elements_of_v[v0 + 4u * v1] =
              (32u * key_tile + (thread >> 3u) < length) ? elements_of_v[v0 + 4u * v1] : 0.0;
        }
      }
    }

    // copy elements_of_v
    //   to partition(composition(shared_v, (((4,2),(4,2)),32):(((1,16),(4,32)),64)), (64,32))
    {
      uint shared_v_at = (thread & 3u) + 8u * ((thread >> 2u) & 1u) + 18u * (thread >> 3u);
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        shared_v[shared_v_at + 4u * v1] = f16vec4(float16_t(elements_of_v[4u * v1]),
            float16_t(elements_of_v[4u * v1 + 1u]), float16_t(elements_of_v[4u * v1 + 2u]),
            float16_t(elements_of_v[4u * v1 + 3u]));
      }
    }

    barrier();
    if (key_tile + 1u < key_tiles) {
      fetch_keys(key_tile + 1u, entry, thread, kv_head);
    }

    // scores <- 0
    [[unroll]] for (uint j = 0u; j < 2u; ++j) {
      scores[j] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    }

    [[unroll]] for (uint d = 0u; d < 4u; ++d) {
      [[unroll]] for (uint key = 0u; key < 2u; ++key) {
        // load tile(shared_k, (16,16))
        //   into b
        coopMatLoad(b[0], shared_k, 2u * d + 144u * key, 9u, gl_CooperativeMatrixLayoutColumnMajor);

        // scores += query * b
        scores[key] = coopMatMulAdd(query[d], b[0], scores[key]);
      }
    }

    if (length < 32u * key_tile + 32u) {
      // the last tile extends past the last key:
      // scores <- -infinity where the row does not see the key
      [[unroll]] for (uint v3 = 0u; v3 < 2u; ++v3) {
        [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
              float scores_value = scores[v3][v0 + 2u * v1 + 4u * v2];
              uint key_of_score = 32u * key_tile + 2u * (lane & 3u) + v0 + 8u * v1 + 16u * v3;
              scores[v3][v0 + 2u * v1 + 4u * v2] =
                  (key_of_score < length) ? scores_value : uintBitsToFloat(0xff800000u /* -infinity */);
            }
          }
        }
      }
    }

    // rescale <- row_max, before it changes
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      rescale[v1] = row_max[v1];
    }

    // row_max <- max(row_max, each of elements(scores))
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          row_max[v2] = max(row_max[v2], scores[v1][v0 + 4u * v2]);
        }
      }
    }

    // row_max <- maximum over lanes ^ 1, then ^ 2
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      float other1 = subgroupShuffleXor(row_max[v0], 1u);
      float combined1 = max(row_max[v0], other1);
      float other2 = subgroupShuffleXor(combined1, 2u);
      row_max[v0] = max(combined1, other2);
    }

    // rescale <- exp2((rescale - row_max) * factor): the factor of earlier sums
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      rescale[v0] = exp2((rescale[v0] - row_max[v0]) * factor);
    }

    // row_sum <- row_sum * rescale
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      row_sum[v0] *= rescale[v0];
    }

    // elements(sums) <- elements(sums) * rescale
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          sums[v1][v0 + 4u * v2] *= rescale[v2];
        }
      }
    }

    // scores <- exp2((scores - row_max) * factor), the probabilities
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          scores[v1][v0 + 4u * v2] = exp2((scores[v1][v0 + 4u * v2] - row_max[v2]) * factor);
        }
      }
    }

    // row_sum += each of elements(scores)
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          row_sum[v2] += scores[v1][v0 + 4u * v2];
        }
      }
    }

    // elements(probabilities) <- f16(elements(scores))
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
        probabilities[v1][v0] = float16_t(scores[v1][v0]);
      }
    }

    [[unroll]] for (uint key = 0u; key < 2u; ++key) {
      [[unroll]] for (uint e = 0u; e < 4u; ++e) {
        // load transpose(tile(shared_v, (16,16)))
        //   into b
        coopMatLoad(b[0], shared_v, 4u * e + 288u * key, 18u, gl_CooperativeMatrixLayoutRowMajor);

        // sums += probabilities * b
        sums[e] = coopMatMulAdd(probabilities[key], b[0], sums[e]);
      }
    }
  }

  // row_sum <- sum over lanes ^ 1, then ^ 2
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    float other1 = subgroupShuffleXor(row_sum[v0], 1u);
    float combined1 = row_sum[v0] + other1;
    float other2 = subgroupShuffleXor(combined1, 2u);
    row_sum[v0] = combined1 + other2;
  }

  // sums <- sums / row_sum, 0 for rows that see no key
  [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
    [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        sums[v1][v0 + 4u * v2] = (row_sum[v2] == 0.0) ? 0.0 : sums[v1][v0 + 4u * v2] / row_sum[v2];
      }
    }
  }

  // partition(transpose(slice(tile(o, (64,16,1)), (_,_,0))), (16,16))
  //   at (0, 16 (8 block_x + subgroup), block_y) <- f16(elements(sums))
  [[unroll]] for (uint v4 = 0u; v4 < 4u; ++v4) {
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint o_e = 2u * (lane & 3u) + v0 + 8u * v1 + 16u * v4;
          uint o_row = 16u * (8u * block_x + subgroup) + (lane >> 2u) + 8u * v2;
          if (o_row < group * queries && block_y < kv_heads * batch) {
            float sums_value = sums[v4][v0 + 2u * v1 + 4u * v2];
            o[o_e + 64u * o_row + 64u * group * queries * block_y] = float16_t(sums_value);
          }
        }
      }
    }
  }
}
