// generated: gemm/quantised_coopmat  types=f16*q4_0,f32,f16  a=k  b=k  atom=16x16x16  subgroup-size=32
//   tile=16x16  subgroups=2  reads=2  shared-bytes=32768  transposed=no
//   order-a=((8,2),(2,4,2)):((32,4),(1,8,2))  order-b=((8,2),(2,4,2)):((32,4),(1,8,2))
// lanes read whole blocks of their rows of weights, and the same k of A; the sums of the subgroups along k
//   are added at the end
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

void main() {
  uint words_of_thread[18];  // (9,2):(1,9)
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[1];  // (1,1)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matrices_a[2];  // (1,2)
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> matrices_b[2];  // (2,1)
  uvec4 read_a[16];  // (64,1,2):(1,64,64), in f16
  u16vec2 read_b[18];  // (18,2):(1,18), in u16
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
        if (144u * k_tile < words && 143u < words - 144u * k_tile && 16u * block_x + 15u < n) {
          // a whole tile:
          // copy partition(tile(tile(b, (144,16)), (72,16)), (72,8)) in the tile at (144 k_tile, 16 block_x)
          //   to read_b
          uint b_n = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
              u16vec2 value = b_x2[72u * k_tile + 36u * subgroup + 9u * (lane & 3u) + v0
                  + ((ldb * (b_n + 8u * v2)) >> 1u)];
              read_b[v0 + 9u * v2] = value;
            }
          }
        } else {
          // a tile at an edge, 0 outside:
          // copy partition(tile(tile(b, (144,16)), (72,16)), (72,8)) in the tile at (144 k_tile, 16 block_x)
          //   to read_b
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

        if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
          // a whole tile:
          // copy partition(tile(tile(a, (512,16)), (256,16)), (256,8)) in the tile
          //   at (512 k_tile, 16 block_y)
          //   to read_a
          uint a_m = 16u * block_y + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
              uvec4 value = a_x8[64u * k_tile + 32u * subgroup + 8u * (lane & 3u) + v0
                  + ((lda * (a_m + 8u * v2)) >> 3u)];
              read_a[v0 + 8u * v2] = value;
            }
          }
        } else {
          // a tile at an edge, 0 outside:
          // copy partition(tile(tile(a, (512,16)), (256,16)), (256,8)) in the tile
          //   at (512 k_tile, 16 block_y)
          //   to read_a
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
        // rows of A or B are not aligned: they are read element by element
        if (144u * k_tile < words && 143u < words - 144u * k_tile && 16u * block_x + 15u < n) {
          // a whole tile:
          // copy partition(tile(tile(b, (144,16)), (72,16)), (72,8)) in the tile at (144 k_tile, 16 block_x)
          //   to read_b
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
          // a tile at an edge, 0 outside:
          // copy partition(tile(tile(b, (144,16)), (72,16)), (72,8)) in the tile at (144 k_tile, 16 block_x)
          //   to read_b
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

        if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
          // a whole tile:
          // copy partition(tile(tile(a, (512,16)), (256,16)), (256,8)) in the tile
          //   at (512 k_tile, 16 block_y)
          //   to read_a
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
          // a tile at an edge, 0 outside:
          // copy partition(tile(tile(a, (512,16)), (256,16)), (256,8)) in the tile
          //   at (512 k_tile, 16 block_y)
          //   to read_a
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

      // words_of_thread <- the blocks of weights, as words of 32 bits, row 0
      [[unroll]] for (uint access = 0u; access < 9u; ++access) {
        u16vec2 loaded_words = read_b[access];
        words_of_thread[access] = pack32(loaded_words);
      }

      // words_of_thread <- the blocks of weights, as words of 32 bits, row 1
      [[unroll]] for (uint access = 0u; access < 9u; ++access) {
        u16vec2 loaded_words = read_b[9u + access];
        words_of_thread[access + 9u] = pack32(loaded_words);
      }

      {
        uint word_of_scale0_0 = words_of_thread[0];
        float scale0_0 = unpackHalf2x16(word_of_scale0_0).x;
        uint word_of_scale0_1 = words_of_thread[9];
        float scale0_1 = unpackHalf2x16(word_of_scale0_1).x;
        [[unroll]] for (uint step = 0u; step < 2u; ++step) {
          uint word_of_codes0_0 = words_of_thread[2u * step];
          uint next_word0_0 = words_of_thread[2u * step + 1u];
          uint codes0_0 = (word_of_codes0_0 >> 16u) | (next_word0_0 << 16u);
          uint word_of_codes1_0 = words_of_thread[2u * step + 1u];
          uint next_word1_0 = words_of_thread[2u * step + 2u];
          uint codes1_0 = (word_of_codes1_0 >> 16u) | (next_word1_0 << 16u);
          uint word_of_codes0_1 = words_of_thread[2u * step + 9u];
          uint next_word0_1 = words_of_thread[2u * step + 10u];
          uint codes0_1 = (word_of_codes0_1 >> 16u) | (next_word0_1 << 16u);
          uint word_of_codes1_1 = words_of_thread[2u * step + 10u];
          uint next_word1_1 = words_of_thread[2u * step + 11u];
          uint codes1_1 = (word_of_codes1_1 >> 16u) | (next_word1_1 << 16u);
          f16vec2 two0_0 = unpackFloat2x16((codes0_0 & 0xf000fu) | 0x64006400u);
          f16vec2 two1_0 = unpackFloat2x16(((codes0_0 >> 8u) & 0xf000fu) | 0x64006400u);
          f16vec2 two4_0 = unpackFloat2x16((codes1_0 & 0xf000fu) | 0x64006400u);
          f16vec2 two5_0 = unpackFloat2x16(((codes1_0 >> 8u) & 0xf000fu) | 0x64006400u);
          f16vec2 two0_1 = unpackFloat2x16((codes0_1 & 0xf000fu) | 0x64006400u);
          f16vec2 two1_1 = unpackFloat2x16(((codes0_1 >> 8u) & 0xf000fu) | 0x64006400u);
          f16vec2 two4_1 = unpackFloat2x16((codes1_1 & 0xf000fu) | 0x64006400u);
          f16vec2 two5_1 = unpackFloat2x16(((codes1_1 >> 8u) & 0xf000fu) | 0x64006400u);

          // matrices_b <- scale * (code - 8): the bits of p, a power of two, with the code in its mantissa
          //   are the number p + code
          matrices_b[0][0] = (two0_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][1] = (two0_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][2] = (two1_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][3] = (two1_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][0] = (two4_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][1] = (two4_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][2] = (two5_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][3] = (two5_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][4] = (two0_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[0][5] = (two0_1.y - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[0][6] = (two1_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[0][7] = (two1_1.y - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][4] = (two4_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][5] = (two4_1.y - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][6] = (two5_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][7] = (two5_1.y - float16_t(1032.0)) * float16_t(scale0_1);

          // matrices_a <- the elements of A for these weights
          {
            uvec4 eight_of_a0 = read_a[step];
            matrices_a[0][0] = unpackFloat2x16(eight_of_a0.x)[0];
            matrices_a[0][1] = unpackFloat2x16(eight_of_a0.y)[0];
            matrices_a[0][2] = unpackFloat2x16(eight_of_a0.x)[1];
            matrices_a[0][3] = unpackFloat2x16(eight_of_a0.y)[1];
            matrices_a[1][0] = unpackFloat2x16(eight_of_a0.z)[0];
            matrices_a[1][1] = unpackFloat2x16(eight_of_a0.w)[0];
            matrices_a[1][2] = unpackFloat2x16(eight_of_a0.z)[1];
            matrices_a[1][3] = unpackFloat2x16(eight_of_a0.w)[1];
            uvec4 eight_of_a1 = read_a[8u + step];
            matrices_a[0][4] = unpackFloat2x16(eight_of_a1.x)[0];
            matrices_a[0][5] = unpackFloat2x16(eight_of_a1.y)[0];
            matrices_a[0][6] = unpackFloat2x16(eight_of_a1.x)[1];
            matrices_a[0][7] = unpackFloat2x16(eight_of_a1.y)[1];
            matrices_a[1][4] = unpackFloat2x16(eight_of_a1.z)[0];
            matrices_a[1][5] = unpackFloat2x16(eight_of_a1.w)[0];
            matrices_a[1][6] = unpackFloat2x16(eight_of_a1.z)[1];
            matrices_a[1][7] = unpackFloat2x16(eight_of_a1.w)[1];
          }

          // sums += matrices_a * matrices_b
          sums[0] = coopMatMulAdd(matrices_a[0], matrices_b[0], sums[0]);
          sums[0] = coopMatMulAdd(matrices_a[1], matrices_b[1], sums[0]);

          f16vec2 two16_0 = unpackFloat2x16(((codes0_0 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two17_0 = unpackFloat2x16(((codes0_0 >> 12u) & 0xf000fu) | 0x64006400u);
          f16vec2 two20_0 = unpackFloat2x16(((codes1_0 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two21_0 = unpackFloat2x16(((codes1_0 >> 12u) & 0xf000fu) | 0x64006400u);
          f16vec2 two16_1 = unpackFloat2x16(((codes0_1 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two17_1 = unpackFloat2x16(((codes0_1 >> 12u) & 0xf000fu) | 0x64006400u);
          f16vec2 two20_1 = unpackFloat2x16(((codes1_1 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two21_1 = unpackFloat2x16(((codes1_1 >> 12u) & 0xf000fu) | 0x64006400u);

          // matrices_b <- scale * (code - 8): the bits of p, a power of two, with the code in its mantissa
          //   are the number p + code
          matrices_b[0][0] = (two16_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][1] = (two16_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][2] = (two17_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][3] = (two17_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][0] = (two20_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][1] = (two20_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][2] = (two21_0.x - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[1][3] = (two21_0.y - float16_t(1032.0)) * float16_t(scale0_0);
          matrices_b[0][4] = (two16_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[0][5] = (two16_1.y - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[0][6] = (two17_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[0][7] = (two17_1.y - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][4] = (two20_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][5] = (two20_1.y - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][6] = (two21_1.x - float16_t(1032.0)) * float16_t(scale0_1);
          matrices_b[1][7] = (two21_1.y - float16_t(1032.0)) * float16_t(scale0_1);

          // matrices_a <- the elements of A for these weights
          {
            uvec4 eight_of_a0 = read_a[step + 2u];
            matrices_a[0][0] = unpackFloat2x16(eight_of_a0.x)[0];
            matrices_a[0][1] = unpackFloat2x16(eight_of_a0.y)[0];
            matrices_a[0][2] = unpackFloat2x16(eight_of_a0.x)[1];
            matrices_a[0][3] = unpackFloat2x16(eight_of_a0.y)[1];
            matrices_a[1][0] = unpackFloat2x16(eight_of_a0.z)[0];
            matrices_a[1][1] = unpackFloat2x16(eight_of_a0.w)[0];
            matrices_a[1][2] = unpackFloat2x16(eight_of_a0.z)[1];
            matrices_a[1][3] = unpackFloat2x16(eight_of_a0.w)[1];
            uvec4 eight_of_a1 = read_a[8u + step + 2u];
            matrices_a[0][4] = unpackFloat2x16(eight_of_a1.x)[0];
            matrices_a[0][5] = unpackFloat2x16(eight_of_a1.y)[0];
            matrices_a[0][6] = unpackFloat2x16(eight_of_a1.x)[1];
            matrices_a[0][7] = unpackFloat2x16(eight_of_a1.y)[1];
            matrices_a[1][4] = unpackFloat2x16(eight_of_a1.z)[0];
            matrices_a[1][5] = unpackFloat2x16(eight_of_a1.w)[0];
            matrices_a[1][6] = unpackFloat2x16(eight_of_a1.z)[1];
            matrices_a[1][7] = unpackFloat2x16(eight_of_a1.w)[1];
          }

          // sums += matrices_a * matrices_b
          sums[0] = coopMatMulAdd(matrices_a[0], matrices_b[0], sums[0]);
          sums[0] = coopMatMulAdd(matrices_a[1], matrices_b[1], sums[0]);
        }

        uint word_of_scale1_0 = words_of_thread[4];
        float scale1_0 = unpackHalf2x16(word_of_scale1_0).y;
        uint word_of_scale1_1 = words_of_thread[13];
        float scale1_1 = unpackHalf2x16(word_of_scale1_1).y;
        [[unroll]] for (uint step = 0u; step < 2u; ++step) {
          uint codes0_0 = words_of_thread[2u * step + 5u];
          uint codes1_0 = words_of_thread[2u * step + 6u];
          uint codes0_1 = words_of_thread[2u * step + 14u];
          uint codes1_1 = words_of_thread[2u * step + 15u];
          f16vec2 two0_0 = unpackFloat2x16((codes0_0 & 0xf000fu) | 0x64006400u);
          f16vec2 two1_0 = unpackFloat2x16(((codes0_0 >> 8u) & 0xf000fu) | 0x64006400u);
          f16vec2 two4_0 = unpackFloat2x16((codes1_0 & 0xf000fu) | 0x64006400u);
          f16vec2 two5_0 = unpackFloat2x16(((codes1_0 >> 8u) & 0xf000fu) | 0x64006400u);
          f16vec2 two0_1 = unpackFloat2x16((codes0_1 & 0xf000fu) | 0x64006400u);
          f16vec2 two1_1 = unpackFloat2x16(((codes0_1 >> 8u) & 0xf000fu) | 0x64006400u);
          f16vec2 two4_1 = unpackFloat2x16((codes1_1 & 0xf000fu) | 0x64006400u);
          f16vec2 two5_1 = unpackFloat2x16(((codes1_1 >> 8u) & 0xf000fu) | 0x64006400u);

          // matrices_b <- scale * (code - 8): the bits of p, a power of two, with the code in its mantissa
          //   are the number p + code
          matrices_b[0][0] = (two0_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][1] = (two0_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][2] = (two1_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][3] = (two1_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][0] = (two4_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][1] = (two4_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][2] = (two5_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][3] = (two5_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][4] = (two0_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[0][5] = (two0_1.y - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[0][6] = (two1_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[0][7] = (two1_1.y - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][4] = (two4_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][5] = (two4_1.y - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][6] = (two5_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][7] = (two5_1.y - float16_t(1032.0)) * float16_t(scale1_1);

          // matrices_a <- the elements of A for these weights
          {
            uvec4 eight_of_a0 = read_a[step + 4u];
            matrices_a[0][0] = unpackFloat2x16(eight_of_a0.x)[0];
            matrices_a[0][1] = unpackFloat2x16(eight_of_a0.y)[0];
            matrices_a[0][2] = unpackFloat2x16(eight_of_a0.x)[1];
            matrices_a[0][3] = unpackFloat2x16(eight_of_a0.y)[1];
            matrices_a[1][0] = unpackFloat2x16(eight_of_a0.z)[0];
            matrices_a[1][1] = unpackFloat2x16(eight_of_a0.w)[0];
            matrices_a[1][2] = unpackFloat2x16(eight_of_a0.z)[1];
            matrices_a[1][3] = unpackFloat2x16(eight_of_a0.w)[1];
            uvec4 eight_of_a1 = read_a[8u + step + 4u];
            matrices_a[0][4] = unpackFloat2x16(eight_of_a1.x)[0];
            matrices_a[0][5] = unpackFloat2x16(eight_of_a1.y)[0];
            matrices_a[0][6] = unpackFloat2x16(eight_of_a1.x)[1];
            matrices_a[0][7] = unpackFloat2x16(eight_of_a1.y)[1];
            matrices_a[1][4] = unpackFloat2x16(eight_of_a1.z)[0];
            matrices_a[1][5] = unpackFloat2x16(eight_of_a1.w)[0];
            matrices_a[1][6] = unpackFloat2x16(eight_of_a1.z)[1];
            matrices_a[1][7] = unpackFloat2x16(eight_of_a1.w)[1];
          }

          // sums += matrices_a * matrices_b
          sums[0] = coopMatMulAdd(matrices_a[0], matrices_b[0], sums[0]);
          sums[0] = coopMatMulAdd(matrices_a[1], matrices_b[1], sums[0]);

          f16vec2 two16_0 = unpackFloat2x16(((codes0_0 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two17_0 = unpackFloat2x16(((codes0_0 >> 12u) & 0xf000fu) | 0x64006400u);
          f16vec2 two20_0 = unpackFloat2x16(((codes1_0 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two21_0 = unpackFloat2x16(((codes1_0 >> 12u) & 0xf000fu) | 0x64006400u);
          f16vec2 two16_1 = unpackFloat2x16(((codes0_1 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two17_1 = unpackFloat2x16(((codes0_1 >> 12u) & 0xf000fu) | 0x64006400u);
          f16vec2 two20_1 = unpackFloat2x16(((codes1_1 >> 4u) & 0xf000fu) | 0x64006400u);
          f16vec2 two21_1 = unpackFloat2x16(((codes1_1 >> 12u) & 0xf000fu) | 0x64006400u);

          // matrices_b <- scale * (code - 8): the bits of p, a power of two, with the code in its mantissa
          //   are the number p + code
          matrices_b[0][0] = (two16_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][1] = (two16_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][2] = (two17_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][3] = (two17_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][0] = (two20_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][1] = (two20_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][2] = (two21_0.x - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[1][3] = (two21_0.y - float16_t(1032.0)) * float16_t(scale1_0);
          matrices_b[0][4] = (two16_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[0][5] = (two16_1.y - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[0][6] = (two17_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[0][7] = (two17_1.y - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][4] = (two20_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][5] = (two20_1.y - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][6] = (two21_1.x - float16_t(1032.0)) * float16_t(scale1_1);
          matrices_b[1][7] = (two21_1.y - float16_t(1032.0)) * float16_t(scale1_1);

          // matrices_a <- the elements of A for these weights
          {
            uvec4 eight_of_a0 = read_a[step + 6u];
            matrices_a[0][0] = unpackFloat2x16(eight_of_a0.x)[0];
            matrices_a[0][1] = unpackFloat2x16(eight_of_a0.y)[0];
            matrices_a[0][2] = unpackFloat2x16(eight_of_a0.x)[1];
            matrices_a[0][3] = unpackFloat2x16(eight_of_a0.y)[1];
            matrices_a[1][0] = unpackFloat2x16(eight_of_a0.z)[0];
            matrices_a[1][1] = unpackFloat2x16(eight_of_a0.w)[0];
            matrices_a[1][2] = unpackFloat2x16(eight_of_a0.z)[1];
            matrices_a[1][3] = unpackFloat2x16(eight_of_a0.w)[1];
            uvec4 eight_of_a1 = read_a[8u + step + 6u];
            matrices_a[0][4] = unpackFloat2x16(eight_of_a1.x)[0];
            matrices_a[0][5] = unpackFloat2x16(eight_of_a1.y)[0];
            matrices_a[0][6] = unpackFloat2x16(eight_of_a1.x)[1];
            matrices_a[0][7] = unpackFloat2x16(eight_of_a1.y)[1];
            matrices_a[1][4] = unpackFloat2x16(eight_of_a1.z)[0];
            matrices_a[1][5] = unpackFloat2x16(eight_of_a1.w)[0];
            matrices_a[1][6] = unpackFloat2x16(eight_of_a1.z)[1];
            matrices_a[1][7] = unpackFloat2x16(eight_of_a1.w)[1];
          }

          // sums += matrices_a * matrices_b
          sums[0] = coopMatMulAdd(matrices_a[0], matrices_b[0], sums[0]);
          sums[0] = coopMatMulAdd(matrices_a[1], matrices_b[1], sums[0]);
        }
      }
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
