// generated: gemm/thin_coopmat  types=f16,f32,f16  a=k  b=k  atom=16x16x16  subgroup-size=32  tile=16x16
//   subgroups=16  reads=1  across=0  shared-bytes=32768  transposed=no
//   order-a=((8,2),(2,4,2)):((32,4),(1,8,2))  order-b=((8,2),(2,4,2)):((32,4),(1,8,2))
// operands in their own order; the sums of the subgroups along k are added at the end
// vkmoye 0.1.0: vkmoye-bench emit gemm/thin_coopmat --type f16,f32,f16
//   --order-a '((8,2),(2,4,2)):((32,4),(1,8,2))' --order-b '((8,2),(2,4,2)):((32,4),(1,8,2))'
//   --reads 1
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
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };  // (k,n)
layout(std430, binding = 1) readonly buffer B_x8 { uvec4 b_x8[]; };  // (k,n)
layout(std430, binding = 2) writeonly buffer C { float16_t c[]; };  // (n,m)
layout(std430, binding = 2) writeonly buffer C_x4 { f16vec4 c_x4[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, lda, ldb, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared vec4 shared_c[1279];  // (256,16):(20,1), in f32

coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[1];  // (1,1)
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matrices_a[2];  // (1,2)
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> matrices_b[2];  // (2,1)
uvec4 read_a[2];  // (8,1,2):(1,8,8), in f16
uvec4 read_b[2];  // (8,1,2):(1,8,8), in f16

void multiply() {
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

  // B as elements of matrices; k is permuted as in A:
  // copy read_b
  //   to elements(matrices_b)
  matrices_b[0][0] = unpackFloat2x16(read_b[0].x)[0];
  matrices_b[0][1] = unpackFloat2x16(read_b[0].x)[1];
  matrices_b[0][2] = unpackFloat2x16(read_b[0].y)[0];
  matrices_b[0][3] = unpackFloat2x16(read_b[0].y)[1];
  matrices_b[0][4] = unpackFloat2x16(read_b[1].x)[0];
  matrices_b[0][5] = unpackFloat2x16(read_b[1].x)[1];
  matrices_b[0][6] = unpackFloat2x16(read_b[1].y)[0];
  matrices_b[0][7] = unpackFloat2x16(read_b[1].y)[1];
  matrices_b[1][0] = unpackFloat2x16(read_b[0].z)[0];
  matrices_b[1][1] = unpackFloat2x16(read_b[0].z)[1];
  matrices_b[1][2] = unpackFloat2x16(read_b[0].w)[0];
  matrices_b[1][3] = unpackFloat2x16(read_b[0].w)[1];
  matrices_b[1][4] = unpackFloat2x16(read_b[1].z)[0];
  matrices_b[1][5] = unpackFloat2x16(read_b[1].z)[1];
  matrices_b[1][6] = unpackFloat2x16(read_b[1].w)[0];
  matrices_b[1][7] = unpackFloat2x16(read_b[1].w)[1];

  // sums += matrices_a * matrices_b
  sums[0] = coopMatMulAdd(matrices_a[0], matrices_b[0], sums[0]);
  sums[0] = coopMatMulAdd(matrices_a[1], matrices_b[1], sums[0]);
}

void main() {
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

  if (alpha != 0.0 && k != 0u) {
    if ((k & 7u) == 0u && (lda & 7u) == 0u && (ldb & 7u) == 0u) {
      // rows of A and B are aligned: they are read in vectors
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 9u) + 1u; ++k_tile) {  // ceil(k / 512)
        // copy partition(tile(tile(a, (512,16)), (32,16)), (32,8)) in the tile at (512 k_tile, 16 block_y)
        //   to read_a
        if (512u * k_tile + 511u < k && 16u * block_y + 15u < m) {
          // a whole tile
          uint a_m = 16u * block_y + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            read_a[v2] = a_x8[64u * k_tile + 4u * subgroup + (lane & 3u) + ((lda * (a_m + 8u * v2)) >> 3u)];
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

        // copy partition(tile(tile(b, (512,16)), (32,16)), (32,8)) in the tile at (512 k_tile, 16 block_x)
        //   to read_b
        if (512u * k_tile + 511u < k && 16u * block_x + 15u < n) {
          // a whole tile
          uint b_n = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            read_b[v2] = b_x8[64u * k_tile + 4u * subgroup + (lane & 3u) + ((ldb * (b_n + 8u * v2)) >> 3u)];
          }
        } else {
          // a tile at an edge, 0 outside
          uint b_k = 512u * k_tile + 32u * subgroup + 8u * (lane & 3u);
          uint b_n0 = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            uint b_n = b_n0 + 8u * v2;
            if (b_k < k && b_n < n) {
              read_b[v2] = b_x8[(b_k >> 3u) + ((ldb * b_n) >> 3u)];
            } else {
              read_b[v2] = uvec4(0u);
            }
          }
        }

        multiply();
      }
    } else {
      // rows of A or B are not aligned: they are read one by one
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 9u) + 1u; ++k_tile) {  // ceil(k / 512)
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
            read_a[v2] = uvec4(packFloat2x16(f16vec2(value0, value1)), packFloat2x16(f16vec2(value2, value3)),
                packFloat2x16(f16vec2(value4, value5)), packFloat2x16(f16vec2(value6, value7)));
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

        // copy partition(tile(tile(b, (512,16)), (32,16)), (32,8)) in the tile at (512 k_tile, 16 block_x)
        //   to read_b
        if (512u * k_tile + 511u < k && 16u * block_x + 15u < n) {
          // a whole tile
          uint b_k = 512u * k_tile + 32u * subgroup + 8u * (lane & 3u);
          uint b_n = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            float16_t value0 = b[b_k + ldb * (b_n + 8u * v2)];
            float16_t value1 = b[b_k + 1u + ldb * (b_n + 8u * v2)];
            float16_t value2 = b[b_k + 2u + ldb * (b_n + 8u * v2)];
            float16_t value3 = b[b_k + 3u + ldb * (b_n + 8u * v2)];
            float16_t value4 = b[b_k + 4u + ldb * (b_n + 8u * v2)];
            float16_t value5 = b[b_k + 5u + ldb * (b_n + 8u * v2)];
            float16_t value6 = b[b_k + 6u + ldb * (b_n + 8u * v2)];
            float16_t value7 = b[b_k + 7u + ldb * (b_n + 8u * v2)];
            read_b[v2] = uvec4(packFloat2x16(f16vec2(value0, value1)), packFloat2x16(f16vec2(value2, value3)),
                packFloat2x16(f16vec2(value4, value5)), packFloat2x16(f16vec2(value6, value7)));
          }
        } else {
          // a tile at an edge, 0 outside
          uint b_k = 512u * k_tile + 32u * subgroup + 8u * (lane & 3u);
          uint b_n0 = 16u * block_x + (lane >> 2u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            uint b_n = b_n0 + 8u * v2;
            float16_t value0 = b[min(b_k, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value1 = b[min(b_k + 1u, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value2 = b[min(b_k + 2u, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value3 = b[min(b_k + 3u, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value4 = b[min(b_k + 4u, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value5 = b[min(b_k + 5u, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value6 = b[min(b_k + 6u, k - 1u) + ldb * min(b_n, n - 1u)];
            float16_t value7 = b[min(b_k + 7u, k - 1u) + ldb * min(b_n, n - 1u)];
            read_b[v2] = uvec4(
                packFloat2x16(
                  f16vec2((b_k < k && b_n < n) ? value0 : float16_t(0.0),
                    (b_k + 1u < k && b_n < n) ? value1 : float16_t(0.0))),
                packFloat2x16(
                  f16vec2((b_k + 2u < k && b_n < n) ? value2 : float16_t(0.0),
                    (b_k + 3u < k && b_n < n) ? value3 : float16_t(0.0))),
                packFloat2x16(
                  f16vec2((b_k + 4u < k && b_n < n) ? value4 : float16_t(0.0),
                    (b_k + 5u < k && b_n < n) ? value5 : float16_t(0.0))),
                packFloat2x16(
                  f16vec2((b_k + 6u < k && b_n < n) ? value6 : float16_t(0.0),
                    (b_k + 7u < k && b_n < n) ? value7 : float16_t(0.0))));
          }
        }

        multiply();
      }
    }
  }

  // store sums
  //   to tile(shared_c, (16,16))
  coopMatStore(sums[0], shared_c, 80u * subgroup, 5u, gl_CooperativeMatrixLayoutRowMajor);

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
}
