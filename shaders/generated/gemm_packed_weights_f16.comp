// generated: gemm/packed_weights  types=f16*q4_0,f32,f16  a=k  b=k  atom=16x16x16  subgroup-size=32
//   tile=16x64  subgroups=16  reads=1  across=0  shared-bytes=32768  transposed=no
//   order-a=((8,2),(2,4,2)):((32,4),(1,8,2))  order-b=((8,2),(2,4,2)):((32,4),(1,8,2))
// weights packed in the order of lanes, A in its own; the sums of the subgroups along k are added at the end
// vkmoye 0.1.0: vkmoye-bench emit gemm/packed_weights --type 'f16*q4_0,f32,f16'
//   --order-a '((8,2),(2,4,2)):((32,4),(1,8,2))' --order-b '((8,2),(2,4,2)):((32,4),(1,8,2))'
//   --reads 1 --subgroups 16 --tile 16x64
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 512) in;

layout(std430, binding = 0) readonly buffer A { float16_t a[]; };  // (k,m)
layout(std430, binding = 0) readonly buffer A_x8 { uvec4 a_x8[]; };  // (k,m)
layout(std430, binding = 1) readonly restrict buffer B_x4 { uvec4 b_x4[]; };  // (288,k_blocks,b_blocks)
layout(std430, binding = 2) writeonly buffer C { float16_t c[]; };  // (n,m)
layout(std430, binding = 2) writeonly buffer C_x4 { f16vec4 c_x4[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, lda, k_blocks, b_blocks, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared vec4 shared_c[1279];  // (256,16):(20,1), in f32

uint next_codes[8];  // (4,2,1):(1,4,8)
uint next_scales[4];  // (4,1):(1,4)

void fetch_weights(uint tile, uint subgroup, uint block_x, uint lane) {
  // copy partition(composition(slice(tile(b, (288,1,1)), (_,0,0)), 256:1), (128))
  //   at (0, min(16 tile + subgroup, k_blocks - 1), min(block_x, b_blocks - 1))
  //   to slice(next_codes, (_,_,0))
  {
    uint b_k_block = min(16u * tile + subgroup, k_blocks - 1u);
    uint b_block = min(block_x, b_blocks - 1u);
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      uvec4 value = b_x4[lane + 32u * v1 + 72u * b_k_block + 72u * k_blocks * b_block];
      next_codes[4u * v1] = value.x;
      next_codes[4u * v1 + 1u] = value.y;
      next_codes[4u * v1 + 2u] = value.z;
      next_codes[4u * v1 + 3u] = value.w;
    }
  }

  // copy tile(composition(slice(tile(b, (288,1,1)), (_,0,0)), 32:1), (4)) in the tile
  //   at (0, min(16 tile + subgroup, k_blocks - 1), min(block_x, b_blocks - 1))
  //   to slice(next_scales, (_,0))
  {
    uint b_k_block = min(16u * tile + subgroup, k_blocks - 1u);
    uint b_block = min(block_x, b_blocks - 1u);
    uvec4 value = b_x4[(lane >> 2u) + 64u + 72u * b_k_block + 72u * k_blocks * b_block];
    next_scales[0] = value.x;
    next_scales[1] = value.y;
    next_scales[2] = value.z;
    next_scales[3] = value.w;
  }
}

void main() {
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[4];  // (1,4)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matrices_a[2];  // (1,2)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> matrices_b[8];  // (2,4)
  uvec4 read_a[2];  // (8,1,2):(1,8,8), in f16
  float sum[4];  // (4,1,1):(1,4,4)
  float addend[4];  // (4,1,1):(1,4,4)
  float16_t result[4];  // (4,1,1):(1,4,4)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;

  // sums <- 0
  [[unroll]] for (uint j = 0u; j < 4u; ++j) {
    sums[j] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
  }

  if (alpha != 0.0 && k != 0u) {
    if (0u < k_blocks && 0u < b_blocks) {
      fetch_weights(0u, subgroup, block_x, lane);
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 9u) + 1u; ++k_tile) {  // ceil(k / 512)
        if ((k & 7u) == 0u && (lda & 7u) == 0u) {
          // rows of A are aligned: they are read in vectors
          // copy partition(tile(tile(a, (512,16)), (32,16)), (32,8)) in the tile at (512 k_tile, 16 block_y)
          //   to read_a
          if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
            // a whole tile
            uint a_m = 16u * block_y + (lane >> 2u);
            [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
              uvec4 value =
                  a_x8[64u * k_tile + 4u * subgroup + (lane & 3u) + ((lda * (a_m + 8u * v2)) >> 3u)];
              read_a[v2] = value;
            }
          } else {
            // a tile at an edge, 0 outside
            uint a_k = 512u * k_tile + 32u * subgroup + 8u * (lane & 3u);
            uint a_m0 = 16u * block_y + (lane >> 2u);
            [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
              uint a_m = a_m0 + 8u * v2;
              if (a_k < k && a_m < m) {
                read_a[v2] = a_x8[(a_k >> 3u) + ((lda * a_m) >> 3u)];
              } else {
                read_a[v2] = uvec4(0u);
              }
            }
          }
        } else {
          // rows of A are not aligned: they are read one by one
          // copy partition(tile(tile(a, (512,16)), (32,16)), (32,8)) in the tile at (512 k_tile, 16 block_y)
          //   to read_a
          if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
            // a whole tile
            uint a_k = 512u * k_tile + 32u * subgroup + 8u * (lane & 3u);
            uint a_m = 16u * block_y + (lane >> 2u);
            [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
              float16_t value0 = a[a_k + lda * (a_m + 8u * v2)];
              float16_t value1 = a[a_k + 1u + lda * (a_m + 8u * v2)];
              float16_t value2 = a[a_k + 2u + lda * (a_m + 8u * v2)];
              float16_t value3 = a[a_k + 3u + lda * (a_m + 8u * v2)];
              float16_t value4 = a[a_k + 4u + lda * (a_m + 8u * v2)];
              float16_t value5 = a[a_k + 5u + lda * (a_m + 8u * v2)];
              float16_t value6 = a[a_k + 6u + lda * (a_m + 8u * v2)];
              float16_t value7 = a[a_k + 7u + lda * (a_m + 8u * v2)];
              read_a[v2] = uvec4(packFloat2x16(f16vec2(value0, value1)),
                  packFloat2x16(f16vec2(value2, value3)), packFloat2x16(f16vec2(value4, value5)),
                  packFloat2x16(f16vec2(value6, value7)));
            }
          } else {
            // a tile at an edge, 0 outside
            uint a_k = 512u * k_tile + 32u * subgroup + 8u * (lane & 3u);
            uint a_m0 = 16u * block_y + (lane >> 2u);
            [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
              uint a_m = a_m0 + 8u * v2;
              float16_t value0 = a[min(a_k, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value1 = a[min(a_k + 1u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value2 = a[min(a_k + 2u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value3 = a[min(a_k + 3u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value4 = a[min(a_k + 4u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value5 = a[min(a_k + 5u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value6 = a[min(a_k + 6u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value7 = a[min(a_k + 7u, k - 1u) + lda * min(a_m, m - 1u)];
              read_a[v2] = uvec4(
                  packFloat2x16(
                    f16vec2((a_k < k && a_m < m) ? value0 : float16_t(0.0),
                      (a_k + 1u < k && a_m < m) ? value1 : float16_t(0.0))),
                  packFloat2x16(
                    f16vec2((a_k + 2u < k && a_m < m) ? value2 : float16_t(0.0),
                      (a_k + 3u < k && a_m < m) ? value3 : float16_t(0.0))),
                  packFloat2x16(
                    f16vec2((a_k + 4u < k && a_m < m) ? value4 : float16_t(0.0),
                      (a_k + 5u < k && a_m < m) ? value5 : float16_t(0.0))),
                  packFloat2x16(
                    f16vec2((a_k + 6u < k && a_m < m) ? value6 : float16_t(0.0),
                      (a_k + 7u < k && a_m < m) ? value7 : float16_t(0.0))));
            }
          }
        }

        // A as elements of matrices; k is permuted as in B:
        // copy read_a
        //   to elements(matrices_a)
        matrices_a[0][0] = unpackFloat2x16(read_a[0].x)[0];
        matrices_a[0][1] = unpackFloat2x16(read_a[0].x)[1];
        matrices_a[0][2] = unpackFloat2x16(read_a[0].y)[0];
        matrices_a[0][3] = unpackFloat2x16(read_a[0].y)[1];
        matrices_a[0][4] = unpackFloat2x16(read_a[1].x)[0];
        matrices_a[0][5] = unpackFloat2x16(read_a[1].x)[1];
        matrices_a[0][6] = unpackFloat2x16(read_a[1].y)[0];
        matrices_a[0][7] = unpackFloat2x16(read_a[1].y)[1];
        matrices_a[1][0] = unpackFloat2x16(read_a[0].z)[0];
        matrices_a[1][1] = unpackFloat2x16(read_a[0].z)[1];
        matrices_a[1][2] = unpackFloat2x16(read_a[0].w)[0];
        matrices_a[1][3] = unpackFloat2x16(read_a[0].w)[1];
        matrices_a[1][4] = unpackFloat2x16(read_a[1].z)[0];
        matrices_a[1][5] = unpackFloat2x16(read_a[1].z)[1];
        matrices_a[1][6] = unpackFloat2x16(read_a[1].w)[0];
        matrices_a[1][7] = unpackFloat2x16(read_a[1].w)[1];

        // scale * (code - 8), as elements of matrices
        [[unroll]] for (uint pair = 0u; pair < 4u; ++pair) {
          uint scale_words0 = next_scales[pair];
          float16_t scale0 = unpackFloat2x16(scale_words0).x;
          uint codes0_0 = next_codes[2u * pair];
          f16vec2 two0_0 = unpackFloat2x16((codes0_0 & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair][0] = (two0_0.x - float16_t(1032.0)) * scale0;
          matrices_b[2u * pair][1] = (two0_0.y - float16_t(1032.0)) * scale0;
          f16vec2 two0_1 = unpackFloat2x16(((codes0_0 >> 4u) & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair][2] = (two0_1.x - float16_t(1032.0)) * scale0;
          matrices_b[2u * pair][3] = (two0_1.y - float16_t(1032.0)) * scale0;
          f16vec2 two0_2 = unpackFloat2x16(((codes0_0 >> 8u) & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair + 1u][0] = (two0_2.x - float16_t(1032.0)) * scale0;
          matrices_b[2u * pair + 1u][1] = (two0_2.y - float16_t(1032.0)) * scale0;
          f16vec2 two0_3 = unpackFloat2x16(((codes0_0 >> 12u) & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair + 1u][2] = (two0_3.x - float16_t(1032.0)) * scale0;
          matrices_b[2u * pair + 1u][3] = (two0_3.y - float16_t(1032.0)) * scale0;
          uint scale_words1 = next_scales[pair];
          float16_t scale1 = unpackFloat2x16(scale_words1).y;
          uint codes1_0 = next_codes[2u * pair + 1u];
          f16vec2 two1_0 = unpackFloat2x16((codes1_0 & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair][4] = (two1_0.x - float16_t(1032.0)) * scale1;
          matrices_b[2u * pair][5] = (two1_0.y - float16_t(1032.0)) * scale1;
          f16vec2 two1_1 = unpackFloat2x16(((codes1_0 >> 4u) & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair][6] = (two1_1.x - float16_t(1032.0)) * scale1;
          matrices_b[2u * pair][7] = (two1_1.y - float16_t(1032.0)) * scale1;
          f16vec2 two1_2 = unpackFloat2x16(((codes1_0 >> 8u) & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair + 1u][4] = (two1_2.x - float16_t(1032.0)) * scale1;
          matrices_b[2u * pair + 1u][5] = (two1_2.y - float16_t(1032.0)) * scale1;
          f16vec2 two1_3 = unpackFloat2x16(((codes1_0 >> 12u) & 0xf000fu) | 0x64006400u);
          matrices_b[2u * pair + 1u][6] = (two1_3.x - float16_t(1032.0)) * scale1;
          matrices_b[2u * pair + 1u][7] = (two1_3.y - float16_t(1032.0)) * scale1;
        }

        fetch_weights(k_tile + 1u, subgroup, block_x, lane);

        // sums += matrices_a * matrices_b
        [[unroll]] for (uint j = 0u; j < 4u; ++j) {
          sums[j] = coopMatMulAdd(matrices_a[0], matrices_b[2u * j], sums[j]);
          sums[j] = coopMatMulAdd(matrices_a[1], matrices_b[1u + 2u * j], sums[j]);
        }
      }
    }
  }

  [[unroll]] for (uint part = 0u; part < 4u; ++part) {
    barrier();

    // store sums
    //   to tile(shared_c, (16,16))
    coopMatStore(sums[part], shared_c, 80u * subgroup, 5u, gl_CooperativeMatrixLayoutRowMajor);

    barrier();
    if (thread < 64u) {
      // copy partition(transpose(tile(shared_c, (16,16))), (16,16))
      //   to sum
      {
        vec4 value = shared_c[(thread & 3u) + 5u * (thread >> 2u)];
        sum[0] = value.x;
        sum[1] = value.y;
        sum[2] = value.z;
        sum[3] = value.w;
      }

      [[unroll]] for (uint other = 0u; other < 15u; ++other) {
        // copy partition(transpose(tile(shared_c, (16,16))), (16,16))
        //   to addend
        {
          uint shared_c_at = 80u * (other + 1u) + (thread & 3u) + 5u * (thread >> 2u);
          vec4 value = shared_c[shared_c_at];
          addend[0] = value.x;
          addend[1] = value.y;
          addend[2] = value.z;
          addend[3] = value.w;
        }

        // sum += addend
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          sum[v0] += addend[v0];
        }
      }

      // result <- alpha * sum
      [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
        result[v0] = float16_t(alpha * sum[v0]);
      }

      // copy result
      //   to partition(tile(tile(c, (64,16)), (16,16)), (16,16)) in the tile at (64 block_x, 16 block_y)
      if ((n & 3u) == 0u && (ldc & 3u) == 0u) {
        // 4 elements at a time
        uint c_n = 64u * block_x + 16u * part + 4u * (thread & 3u);
        uint c_m = 16u * block_y + (thread >> 2u);
        if (c_n < n && c_m < m) {
          c_x4[(c_n >> 2u) + ((ldc * c_m) >> 2u)] = f16vec4(result[0], result[1], result[2], result[3]);
        }
      } else {
        // one element at a time
        uint c_n0 = 64u * block_x + 16u * part + 4u * (thread & 3u);
        uint c_m = 16u * block_y + (thread >> 2u);
        if (c_m < m) {
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            uint c_n = c_n0 + v0;
            if (c_n < n) {
              c[c_n + ldc * c_m] = result[v0];
            }
          }
        }
      }
    }
  }
}
