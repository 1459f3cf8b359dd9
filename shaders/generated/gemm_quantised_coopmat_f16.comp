// generated: gemm/quantised_coopmat  types=f16*q4_0,f32,f16  a=k  b=k  atom=16x16x16  subgroup-size=32
//   tile=16x16  subgroups=2  reads=2  across=0  shared-bytes=32768  transposed=no
//   order-a=((8,2),(2,4,2)):((32,4),(1,8,2))  order-b=((8,2),(2,4,2)):((32,4),(1,8,2))
// lanes read blocks of their rows of weights, and their k of A; the sums of the subgroups along k are added
//   at the end
// vkmoye 0.1.0: vkmoye-bench emit gemm/quantised_coopmat --type 'f16*q4_0,f32,f16'
//   --order-a '((8,2),(2,4,2)):((32,4),(1,8,2))' --order-b '((8,2),(2,4,2)):((32,4),(1,8,2))'
//   --tile 16x16
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer A { float16_t a[]; };  // (k,m)
layout(std430, binding = 0) readonly buffer A_x8 { uvec4 a_x8[]; };  // (k,m)
layout(std430, binding = 1) readonly buffer B { uint16_t b[]; };  // (words,n)
layout(std430, binding = 1) readonly buffer B_x2 { u16vec2 b_x2[]; };  // (words,n)
layout(std430, binding = 2) writeonly buffer C { float16_t c[]; };  // (n,m)
layout(std430, binding = 2) writeonly buffer C_x4 { f16vec4 c_x4[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, words, lda, ldb, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared vec4 shared_c[159];  // (32,16):(20,1), in f32

coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[1];  // (1,1)
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matrices_a[2];  // (1,2)
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> matrices_b[2];  // (2,1)
uvec4 read_a[16];  // (64,1,2):(1,64,64), in f16
uint codes_of_block[8];  // (4,2):(1,4)
float scales_of_block[2];  // (1,2):(1,1)

void multiply_block(uint block) {
  [[unroll]] for (uint step = 0u; step < 2u; ++step) {
    [[unroll]] for (uint part = 0u; part < 2u; ++part) {
      [[unroll]] for (uint row = 0u; row < 2u; ++row) {
        float scale0 = scales_of_block[row];
        uint codes0 = codes_of_block[2u * step + 4u * row];
        uint moved_codes0 = codes0 >> (4u * part);
        uint codes1 = codes_of_block[2u * step + 1u + 4u * row];
        uint moved_codes1 = codes1 >> (4u * part);
        f16vec2 two0 = unpackFloat2x16((moved_codes0 & 0xf000fu) | 0x64006400u);
        f16vec2 two1 = unpackFloat2x16(((moved_codes0 >> 8u) & 0xf000fu) | 0x64006400u);
        f16vec2 two4 = unpackFloat2x16((moved_codes1 & 0xf000fu) | 0x64006400u);
        f16vec2 two5 = unpackFloat2x16(((moved_codes1 >> 8u) & 0xf000fu) | 0x64006400u);

        // matrices_b <- scale * (code - 8): the bits of p, a power of two, with the code in its mantissa are
        //   the number p + code
        matrices_b[0][4u * row] = (two0.x - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[0][4u * row + 1u] = (two0.y - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[0][4u * row + 2u] = (two1.x - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[0][4u * row + 3u] = (two1.y - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[1][4u * row] = (two4.x - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[1][4u * row + 1u] = (two4.y - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[1][4u * row + 2u] = (two5.x - float16_t(1032.0)) * float16_t(scale0);
        matrices_b[1][4u * row + 3u] = (two5.y - float16_t(1032.0)) * float16_t(scale0);
      }

      // matrices_a <- the elements of A for these weights
      [[unroll]] for (uint row = 0u; row < 2u; ++row) {
        uvec4 eight_of_a = read_a[8u * row + 4u * block + step + 2u * part];
        matrices_a[0][4u * row] = unpackFloat2x16(eight_of_a.x)[0];
        matrices_a[0][4u * row + 1u] = unpackFloat2x16(eight_of_a.y)[0];
        matrices_a[0][4u * row + 2u] = unpackFloat2x16(eight_of_a.x)[1];
        matrices_a[0][4u * row + 3u] = unpackFloat2x16(eight_of_a.y)[1];
        matrices_a[1][4u * row] = unpackFloat2x16(eight_of_a.z)[0];
        matrices_a[1][4u * row + 1u] = unpackFloat2x16(eight_of_a.w)[0];
        matrices_a[1][4u * row + 2u] = unpackFloat2x16(eight_of_a.z)[1];
        matrices_a[1][4u * row + 3u] = unpackFloat2x16(eight_of_a.w)[1];
      }

      // sums += matrices_a * matrices_b
      sums[0] = coopMatMulAdd(matrices_a[0], matrices_b[0], sums[0]);
      sums[0] = coopMatMulAdd(matrices_a[1], matrices_b[1], sums[0]);
    }
  }
}

void main() {
  uint words_of_thread[18];  // (9,2):(1,9)
  u16vec2 read_b[18];  // (18,1,2):(1,18,18), in u16
  float sum[4];  // (4,1,1):(1,4,4)
  float addend[4];  // (4,1,1):(1,4,4)
  float16_t result[4];  // (4,1,1):(1,4,4)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;

  // sums <- 0
  sums[0] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);

  if (alpha != 0.0 && k != 0u && words != 0u) {
    for (uint k_tile = 0u; k_tile < ((k - 1u) >> 9u) + 1u; ++k_tile) {  // ceil(k / 512)
      if ((k & 7u) == 0u && (lda & 7u) == 0u && (words & 1u) == 0u && (ldb & 1u) == 0u) {
        // rows of A and B are aligned: they are read in vectors
        // copy partition(tile(tile(b, (144,16)), (72,16)), (72,8)) in the tile at (144 k_tile, 16 block_x)
        //   to read_b
        if (144u * k_tile < words && 143u < words - 144u * k_tile && 16u * block_x + 15u < n) {
          // a whole tile
          uint b_n = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
              u16vec2 value = b_x2[72u * k_tile + 36u * subgroup + 9u * (lane & 3u) + v0
                  + ((ldb * (b_n + 8u * v2)) >> 1u)];
              read_b[v0 + 9u * v2] = value;
            }
          }
        } else {
          // a tile at an edge, 0 outside
          uint b_word0 = 144u * k_tile + 72u * subgroup + 18u * (lane & 3u);
          uint b_n0 = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
              uint b_word = b_word0 + 2u * v0;
              uint b_n = b_n0 + 8u * v2;
              if (b_word < words && b_n < n) {
                read_b[v0 + 9u * v2] = b_x2[(b_word >> 1u) + ((ldb * b_n) >> 1u)];
              } else {
                read_b[v0 + 9u * v2] = u16vec2(0);
              }
            }
          }
        }

        // copy partition(tile(tile(a, (512,16)), (256,16)), (256,8)) in the tile at (512 k_tile, 16 block_y)
        //   to read_a
        if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
          // a whole tile
          uint a_m = 16u * block_y + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
              uvec4 value = a_x8[64u * k_tile + 32u * subgroup + 8u * (lane & 3u) + v0
                  + ((lda * (a_m + 8u * v2)) >> 3u)];
              read_a[v0 + 8u * v2] = value;
            }
          }
        } else {
          // a tile at an edge, 0 outside
          uint a_k0 = 512u * k_tile + 256u * subgroup + 64u * (lane & 3u);
          uint a_m0 = 16u * block_y + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
              uint a_k = a_k0 + 8u * v0;
              uint a_m = a_m0 + 8u * v2;
              if (a_k < k && a_m < m) {
                read_a[v0 + 8u * v2] = a_x8[(a_k >> 3u) + ((lda * a_m) >> 3u)];
              } else {
                read_a[v0 + 8u * v2] = uvec4(0u);
              }
            }
          }
        }
      } else {
        // rows of A or B are not aligned: they are read one by one
        // copy partition(tile(tile(b, (144,16)), (72,16)), (72,8)) in the tile at (144 k_tile, 16 block_x)
        //   to read_b
        if (144u * k_tile < words && 143u < words - 144u * k_tile && 16u * block_x + 15u < n) {
          // a whole tile
          uint b_word = 144u * k_tile + 72u * subgroup + 18u * (lane & 3u);
          uint b_n = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
              uint16_t value0 = b[b_word + 2u * v0 + ldb * (b_n + 8u * v2)];
              uint16_t value1 = b[b_word + 2u * v0 + 1u + ldb * (b_n + 8u * v2)];
              read_b[v0 + 9u * v2] = u16vec2(value0, value1);
            }
          }
        } else {
          // a tile at an edge, 0 outside
          uint b_word0 = 144u * k_tile + 72u * subgroup + 18u * (lane & 3u);
          uint b_n0 = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
              uint b_word = b_word0 + 2u * v0;
              uint b_n = b_n0 + 8u * v2;
              uint16_t value0 = b[min(b_word, words - 1u) + ldb * min(b_n, n - 1u)];
              uint16_t value1 = b[min(b_word + 1u, words - 1u) + ldb * min(b_n, n - 1u)];
              read_b[v0 + 9u * v2] = u16vec2((b_word < words && b_n < n) ? value0 : uint16_t(0),
                  (b_word + 1u < words && b_n < n) ? value1 : uint16_t(0));
            }
          }
        }

        // copy partition(tile(tile(a, (512,16)), (256,16)), (256,8)) in the tile at (512 k_tile, 16 block_y)
        //   to read_a
        if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
          // a whole tile
          uint a_k = 512u * k_tile + 256u * subgroup + 64u * (lane & 3u);
          uint a_m = 16u * block_y + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
              float16_t value0 = a[a_k + 8u * v0 + lda * (a_m + 8u * v2)];
              float16_t value1 = a[a_k + 8u * v0 + 1u + lda * (a_m + 8u * v2)];
              float16_t value2 = a[a_k + 8u * v0 + 2u + lda * (a_m + 8u * v2)];
              float16_t value3 = a[a_k + 8u * v0 + 3u + lda * (a_m + 8u * v2)];
              float16_t value4 = a[a_k + 8u * v0 + 4u + lda * (a_m + 8u * v2)];
              float16_t value5 = a[a_k + 8u * v0 + 5u + lda * (a_m + 8u * v2)];
              float16_t value6 = a[a_k + 8u * v0 + 6u + lda * (a_m + 8u * v2)];
              float16_t value7 = a[a_k + 8u * v0 + 7u + lda * (a_m + 8u * v2)];
              read_a[v0 + 8u * v2] = uvec4(packFloat2x16(f16vec2(value0, value1)),
                  packFloat2x16(f16vec2(value2, value3)), packFloat2x16(f16vec2(value4, value5)),
                  packFloat2x16(f16vec2(value6, value7)));
            }
          }
        } else {
          // a tile at an edge, 0 outside
          uint a_k0 = 512u * k_tile + 256u * subgroup + 64u * (lane & 3u);
          uint a_m0 = 16u * block_y + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
              uint a_k = a_k0 + 8u * v0;
              uint a_m = a_m0 + 8u * v2;
              float16_t value0 = a[min(a_k, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value1 = a[min(a_k + 1u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value2 = a[min(a_k + 2u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value3 = a[min(a_k + 3u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value4 = a[min(a_k + 4u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value5 = a[min(a_k + 5u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value6 = a[min(a_k + 6u, k - 1u) + lda * min(a_m, m - 1u)];
              float16_t value7 = a[min(a_k + 7u, k - 1u) + lda * min(a_m, m - 1u)];
              read_a[v0 + 8u * v2] = uvec4(
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
      }

      // words_of_thread <- the blocks of weights, as words of 32 bits
      [[unroll]] for (uint access = 0u; access < 18u; ++access) {
        words_of_thread[access] = pack32(read_b[access]);
      }

      // the codes of a block, and its scale
      [[unroll]] for (uint row = 0u; row < 2u; ++row) {
        uint word_of_scale = words_of_thread[9u * row];
        scales_of_block[row] = unpackHalf2x16(word_of_scale).x;
        [[unroll]] for (uint word = 0u; word < 4u; ++word) {
          uint word_of_codes = words_of_thread[word + 9u * row];
          uint next_word = words_of_thread[min(word + 1u, 8u) + 9u * row];
          codes_of_block[word + 4u * row] = (word_of_codes >> 16u) | (next_word << 16u);
        }
      }

      multiply_block(0u);

      // the codes of a block, and its scale
      [[unroll]] for (uint row = 0u; row < 2u; ++row) {
        uint word_of_scale = words_of_thread[4u + 9u * row];
        scales_of_block[row] = unpackHalf2x16(word_of_scale).y;
        [[unroll]] for (uint word = 0u; word < 4u; ++word) {
          codes_of_block[word + 4u * row] = words_of_thread[word + 5u + 9u * row];
        }
      }

      multiply_block(1u);
    }
  }

  // store sums
  //   to tile(shared_c, (16,16))
  coopMatStore(sums[0], shared_c, 80u * subgroup, 5u, gl_CooperativeMatrixLayoutRowMajor);

  barrier();

  // copy partition(transpose(tile(shared_c, (16,16))), (16,16))
  //   to sum
  {
    vec4 value = shared_c[(thread & 3u) + 5u * (thread >> 2u)];
    sum[0] = value.x;
    sum[1] = value.y;
    sum[2] = value.z;
    sum[3] = value.w;
  }

  // copy partition(transpose(tile(shared_c, (16,16))), (16,16))
  //   to addend
  {
    vec4 value = shared_c[(thread & 3u) + 5u * (thread >> 2u) + 80u];
    addend[0] = value.x;
    addend[1] = value.y;
    addend[2] = value.z;
    addend[3] = value.w;
  }

  // sum += addend
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    sum[v0] += addend[v0];
  }

  // result <- alpha * sum
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    result[v0] = float16_t(alpha * sum[v0]);
  }

  // copy result
  //   to partition(tile(tile(c, (16,16)), (16,16)), (16,16)) at (16 block_x, 16 block_y)
  if ((n & 3u) == 0u && (ldc & 3u) == 0u) {
    // 4 elements at a time
    uint c_n = 16u * block_x + 4u * (thread & 3u);
    uint c_m = 16u * block_y + (thread >> 2u);
    if (c_n < n && c_m < m) {
      c_x4[(c_n >> 2u) + ((ldc * c_m) >> 2u)] = f16vec4(result[0], result[1], result[2], result[3]);
    }
  } else {
    // one element at a time
    uint c_n0 = 16u * block_x + 4u * (thread & 3u);
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
