// generated: attention/coopmat  type=f16  width=64  causal  atom=16x16x16  subgroup-size=32  rows=16  keys=32
//   subgroups=8  shared-bytes=32768  prefetch=yes  scores-ahead=no  unroll=no
//   order-c=((8,2),(2,4,2)):((32,4),(1,8,2))  order-a=((8,2),(2,4,2)):((32,4),(1,8,2))
// scores stay in registers; the next tiles of k and v are fetched meanwhile
// vkmoye 0.1.0: vkmoye-bench emit attention/coopmat --type f16 --causal --keys 32
//   --order-a '((8,2),(2,4,2)):((32,4),(1,8,2))' --order-c '((8,2),(2,4,2)):((32,4),(1,8,2))'
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Q_x8 { uvec4 q_x8[]; };  // (64,rows,heads)
layout(std430, binding = 1) readonly restrict buffer K_x8 { uvec4 k_x8[]; };  // (64,keys,heads)
layout(std430, binding = 2) readonly restrict buffer V_x8 { uvec4 v_x8[]; };  // (64,keys,heads)
layout(std430, binding = 3) writeonly restrict buffer O { float16_t o[]; };  // (64,rows,heads)
layout(push_constant) uniform Arguments { uint rows, heads, keys, queries; float scale;
    uint first_group_x, first_group_y; };

shared uvec4 shared_k[287];  // (64,32):(1,72), in f16
shared uvec4 shared_v[287];  // (64,32):(1,72), in f16

uvec4 next_k;
uvec4 next_v;

void fetch_keys(uint tile_of_keys, uint thread, uint block_x) {
  // copy partition(slice(tile(k, (64,32,1)), (_,_,0)), (64,32)) at (0, 32 tile_of_keys, block_x)
  //   to next_k
  {
    uint k_d = thread & 7u;
    uint k_key = 32u * tile_of_keys + (thread >> 3u);
    if (k_key < keys && block_x < heads) {
      next_k = k_x8[k_d + 8u * k_key + 8u * keys * block_x];
    } else {
      next_k = uvec4(0u);
    }
  }

  // copy partition(slice(tile(v, (64,32,1)), (_,_,0)), (64,32)) at (0, 32 tile_of_keys, block_x)
  //   to next_v
  {
    uint v_e = thread & 7u;
    uint v_key = 32u * tile_of_keys + (thread >> 3u);
    if (v_key < keys && block_x < heads) {
      next_v = v_x8[v_e + 8u * v_key + 8u * keys * block_x];
    } else {
      next_v = uvec4(0u);
    }
  }
}

void main() {
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> query[4];  // (1,4)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b[1];  // (1,1)
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> scores[2];  // (1,2)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> probabilities[2];  // (1,2)
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[4];  // (1,4)
  float row_max[2];  // (1,(2,1)):(1,(1,2))
  float rescale[2];  // (1,(2,1)):(1,(1,2))
  float row_sum[2];  // (1,(2,1)):(1,(1,2))
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  uint row_tile = (rows >> 7u) + min(rows & 127u, 1u) - 1u - block_y;
  float factor = scale * 1.442695 /* log2(e) */;
  uint tile_query = 128u * row_tile % max(queries, 1u);
  uint end_query_of_tile = min(tile_query + 128u, queries);
  uint end_key = max(end_query_of_tile + keys, queries) - queries;
  uint key_tiles = (end_key >> 5u) + min(end_key & 31u, 1u);  // ceil(end_key / 32)

  // q goes through the tile of k, 32 rows at a time
  for (uint part = 0u; part < 4u; ++part) {
    // copy partition(slice(tile(q, (64,32,1)), (_,_,0)), (64,32)) at (0, 32 (4 row_tile + part), block_x)
    //   to next_k
    {
      uint q_d = thread & 7u;
      uint q_row = 32u * (4u * row_tile + part) + (thread >> 3u);
      if (q_row < rows && block_x < heads) {
        next_k = q_x8[q_d + 8u * q_row + 8u * rows * block_x];
      } else {
        next_k = uvec4(0u);
      }
    }

    barrier();

    // copy next_k
    //   to partition(shared_k, (64,32))
    shared_k[(thread & 7u) + 9u * (thread >> 3u)] = next_k;

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

  uint own_query = 16u * (8u * row_tile + subgroup) % max(queries, 1u);
  uint first_query_of_own = (queries < own_query + 16u) ? 0u : own_query;

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

  fetch_keys(0u, thread, block_x);

  [[dont_unroll]] for (uint key_tile = 0u; key_tile < key_tiles; ++key_tile) {
    barrier();

    // copy next_k
    //   to partition(shared_k, (64,32))
    shared_k[(thread & 7u) + 9u * (thread >> 3u)] = next_k;

    // copy next_v
    //   to partition(shared_v, (64,32))
    shared_v[(thread & 7u) + 9u * (thread >> 3u)] = next_v;

    barrier();
    if (key_tile + 1u < key_tiles) {
      fetch_keys(key_tile + 1u, thread, block_x);
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

    if (keys < 32u * key_tile + 32u || first_query_of_own + keys + 1u < 32u * key_tile + 32u + queries) {
      // some keys of this tile are hidden from some rows:
      // scores <- -infinity where the row does not see the key
      [[unroll]] for (uint v3 = 0u; v3 < 2u; ++v3) {
        [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
              float scores_value = scores[v3][v0 + 2u * v1 + 4u * v2];
              uint key_of_score = 32u * key_tile + 2u * (lane & 3u) + v0 + 8u * v1 + 16u * v3;
              uint query_of_score =
                  (16u * (8u * row_tile + subgroup) + (lane >> 2u) + 8u * v2) % max(queries, 1u);
              scores[v3][v0 + 2u * v1 + 4u * v2] = (key_of_score < keys
                  && key_of_score + queries < query_of_score + keys + 1u) ? scores_value
                  : uintBitsToFloat(0xff800000u /* -infinity */);
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
        coopMatLoad(b[0], shared_v, 2u * e + 144u * key, 9u, gl_CooperativeMatrixLayoutRowMajor);

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
  //   at (0, 16 (8 row_tile + subgroup), block_x) <- f16(elements(sums))
  [[unroll]] for (uint v4 = 0u; v4 < 4u; ++v4) {
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
          uint o_e = 2u * (lane & 3u) + v0 + 8u * v1 + 16u * v4;
          uint o_row = 16u * (8u * row_tile + subgroup) + (lane >> 2u) + 8u * v2;
          if (o_row < rows && block_x < heads) {
            o[o_e + 64u * o_row + 64u * rows * block_x] = float16_t(sums[v4][v0 + 2u * v1 + 4u * v2]);
          }
        }
      }
    }
  }
}
