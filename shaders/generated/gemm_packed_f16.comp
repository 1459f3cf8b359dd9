// generated: gemm/packed  types=f16,f32,f16  a=k  b=k  atom=16x16x16  subgroup-size=32  part=32x32
//   subgroups=2x2  shared-bytes=32768  prefetch-as=words  steps=2  strip=16
// operands in fragment order: one step of k is read while another is multiplied
// vkmoye 0.1.0: vkmoye-bench emit gemm/packed --type f16,f32,f16 --part 32x32
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly restrict buffer A_x8 { uvec4 a_x8[]; };  // (1024,k_blocks,a_blocks)
layout(std430, binding = 1) readonly restrict buffer B_x8 { uvec4 b_x8[]; };  // (1024,k_blocks,b_blocks)
layout(std430, binding = 2) writeonly buffer C { float16_t c[]; };  // (n,m)
layout(std430, binding = 2) writeonly buffer C_x4 { f16vec4 c_x4[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, k_blocks, a_blocks, b_blocks, ldc; float alpha;
    uint first_group_x, first_group_y, first_group_z; };

shared vec4 shared_c[543];  // (32,64):(68,1), in f32

void main() {
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[4];  // (2,2)
  uvec4 next_a0[2];  // (8,2):(1,8), in f16
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matrices_a0[2];  // (2,1)
  uvec4 next_a1[2];  // (8,2):(1,8), in f16
  uvec4 next_b0[2];  // (8,2):(1,8), in f16
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> matrices_b0[2];  // (1,2)
  uvec4 next_b1[2];  // (8,2):(1,8), in f16
  float sum[16];  // (4,1,4):(1,4,4)
  float16_t result[16];  // (4,1,4):(1,4,4)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint block_z = gl_WorkGroupID.z + first_group_z;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint tile_m = 16u * block_z + block_x;
  uint a_block = min(2u * tile_m + (subgroup & 1u), a_blocks - 1u);
  uint b_block = min(2u * block_y + (subgroup >> 1u), b_blocks - 1u);

  if (64u * tile_m < m) {
    // sums <- 0
    [[unroll]] for (uint j = 0u; j < 2u; ++j) {
      [[unroll]] for (uint i = 0u; i < 2u; ++i) {
        sums[i + 2u * j] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
      }
    }

    if (alpha != 0.0 && k != 0u) {
      if (0u < k_blocks && 0u < a_blocks && 0u < b_blocks) {
        // A of step 0 of the first block:
        // copy partition(tile(slice(tile(a, (1024,1,1)), (_,0,0)), (512)), (256)) at (0, 0, a_block)
        //   to next_a0
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          next_a0[v1] = a_x8[lane + 32u * v1 + 128u * k_blocks * a_block];
        }

        // B of step 0 of the first block:
        // copy partition(tile(slice(tile(b, (1024,1,1)), (_,0,0)), (512)), (256)) at (0, 0, b_block)
        //   to next_b0
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          next_b0[v1] = b_x8[lane + 32u * v1 + 128u * k_blocks * b_block];
        }

        [[dont_unroll]] for (uint block = 0u; block < k_blocks; ++block) {
          // A of step 1 of the same block:
          // copy partition(tile(slice(tile(a, (1024,1,1)), (_,0,0)), (512)), (256)) in the tile
          //   at (0, block, a_block)
          //   to next_a1
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            next_a1[v1] = a_x8[lane + 64u + 32u * v1 + 128u * block + 128u * k_blocks * a_block];
          }

          // B of step 1 of the same block:
          // copy partition(tile(slice(tile(b, (1024,1,1)), (_,0,0)), (512)), (256)) in the tile
          //   at (0, block, b_block)
          //   to next_b1
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            next_b1[v1] = b_x8[lane + 64u + 32u * v1 + 128u * block + 128u * k_blocks * b_block];
          }

          // the words of A as matrices:
          // copy next_a0
          //   to elements(matrices_a0)
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            matrices_a0[v1][0] = unpackFloat2x16(next_a0[v1].x)[0];
            matrices_a0[v1][1] = unpackFloat2x16(next_a0[v1].x)[1];
            matrices_a0[v1][2] = unpackFloat2x16(next_a0[v1].y)[0];
            matrices_a0[v1][3] = unpackFloat2x16(next_a0[v1].y)[1];
            matrices_a0[v1][4] = unpackFloat2x16(next_a0[v1].z)[0];
            matrices_a0[v1][5] = unpackFloat2x16(next_a0[v1].z)[1];
            matrices_a0[v1][6] = unpackFloat2x16(next_a0[v1].w)[0];
            matrices_a0[v1][7] = unpackFloat2x16(next_a0[v1].w)[1];
          }

          // the words of B as matrices:
          // copy next_b0
          //   to elements(matrices_b0)
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            matrices_b0[v1][0] = unpackFloat2x16(next_b0[v1].x)[0];
            matrices_b0[v1][1] = unpackFloat2x16(next_b0[v1].x)[1];
            matrices_b0[v1][2] = unpackFloat2x16(next_b0[v1].y)[0];
            matrices_b0[v1][3] = unpackFloat2x16(next_b0[v1].y)[1];
            matrices_b0[v1][4] = unpackFloat2x16(next_b0[v1].z)[0];
            matrices_b0[v1][5] = unpackFloat2x16(next_b0[v1].z)[1];
            matrices_b0[v1][6] = unpackFloat2x16(next_b0[v1].w)[0];
            matrices_b0[v1][7] = unpackFloat2x16(next_b0[v1].w)[1];
          }

          // sums += matrices_a0 * matrices_b0
          [[unroll]] for (uint j = 0u; j < 2u; ++j) {
            [[unroll]] for (uint i = 0u; i < 2u; ++i) {
              sums[i + 2u * j] = coopMatMulAdd(matrices_a0[i], matrices_b0[j], sums[i + 2u * j]);
            }
          }

          // A of step 0 of the next block:
          // copy partition(tile(slice(tile(a, (1024,1,1)), (_,0,0)), (512)), (256))
          //   at (0, min(block + 1, k_blocks - 1), a_block)
          //   to next_a0
          {
            uint a_k_block = min(block + 1u, k_blocks - 1u);
            [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
              next_a0[v1] = a_x8[lane + 32u * v1 + 128u * a_k_block + 128u * k_blocks * a_block];
            }
          }

          // B of step 0 of the next block:
          // copy partition(tile(slice(tile(b, (1024,1,1)), (_,0,0)), (512)), (256))
          //   at (0, min(block + 1, k_blocks - 1), b_block)
          //   to next_b0
          {
            uint b_k_block = min(block + 1u, k_blocks - 1u);
            [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
              next_b0[v1] = b_x8[lane + 32u * v1 + 128u * b_k_block + 128u * k_blocks * b_block];
            }
          }

          // the words of A as matrices:
          // copy next_a1
          //   to elements(matrices_a0)
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            matrices_a0[v1][0] = unpackFloat2x16(next_a1[v1].x)[0];
            matrices_a0[v1][1] = unpackFloat2x16(next_a1[v1].x)[1];
            matrices_a0[v1][2] = unpackFloat2x16(next_a1[v1].y)[0];
            matrices_a0[v1][3] = unpackFloat2x16(next_a1[v1].y)[1];
            matrices_a0[v1][4] = unpackFloat2x16(next_a1[v1].z)[0];
            matrices_a0[v1][5] = unpackFloat2x16(next_a1[v1].z)[1];
            matrices_a0[v1][6] = unpackFloat2x16(next_a1[v1].w)[0];
            matrices_a0[v1][7] = unpackFloat2x16(next_a1[v1].w)[1];
          }

          // the words of B as matrices:
          // copy next_b1
          //   to elements(matrices_b0)
          [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
            matrices_b0[v1][0] = unpackFloat2x16(next_b1[v1].x)[0];
            matrices_b0[v1][1] = unpackFloat2x16(next_b1[v1].x)[1];
            matrices_b0[v1][2] = unpackFloat2x16(next_b1[v1].y)[0];
            matrices_b0[v1][3] = unpackFloat2x16(next_b1[v1].y)[1];
            matrices_b0[v1][4] = unpackFloat2x16(next_b1[v1].z)[0];
            matrices_b0[v1][5] = unpackFloat2x16(next_b1[v1].z)[1];
            matrices_b0[v1][6] = unpackFloat2x16(next_b1[v1].w)[0];
            matrices_b0[v1][7] = unpackFloat2x16(next_b1[v1].w)[1];
          }

          // sums += matrices_a0 * matrices_b0
          [[unroll]] for (uint j = 0u; j < 2u; ++j) {
            [[unroll]] for (uint i = 0u; i < 2u; ++i) {
              sums[i + 2u * j] = coopMatMulAdd(matrices_a0[i], matrices_b0[j], sums[i + 2u * j]);
            }
          }
        }
      }
    }

    [[unroll]] for (uint row = 0u; row < 2u; ++row) {
      barrier();

      // store sums
      //   to tile(shared_c, (16,32))
      [[unroll]] for (uint j = 0u; j < 2u; ++j) {
        coopMatStore(sums[row + 2u * j], shared_c, 272u * (subgroup & 1u) + 8u * (subgroup >> 1u) + 4u * j,
            17u, gl_CooperativeMatrixLayoutRowMajor);
      }

      barrier();

      // copy partition(transpose(tile(shared_c, (16,32))), (32,4))
      //   to sum
      {
        uint shared_c_at = 272u * (subgroup & 1u) + 8u * (subgroup >> 1u) + (lane & 7u) + 17u * (lane >> 3u);
        [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
          vec4 value = shared_c[shared_c_at + 68u * v2];
          sum[4u * v2] = value.x;
          sum[4u * v2 + 1u] = value.y;
          sum[4u * v2 + 2u] = value.z;
          sum[4u * v2 + 3u] = value.w;
        }
      }

      // result <- alpha * sum
      [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          result[v0 + 4u * v2] = float16_t(alpha * sum[v0 + 4u * v2]);
        }
      }

      // copy result
      //   to partition(tile(tile(c, (64,64)), (32,16)), (32,4)) in the tile at (64 block_y, 64 tile_m)
      if ((n & 3u) == 0u && (ldc & 3u) == 0u) {
        // 4 elements at a time
        uint c_n = 64u * block_y + 32u * (subgroup >> 1u) + 4u * (lane & 7u);
        uint c_m0 = 64u * tile_m + 16u * (row + 2u * (subgroup & 1u)) + (lane >> 3u);
        if (c_n < n) {
          [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
            uint c_m = c_m0 + 4u * v2;
            if (c_m < m) {
              c_x4[(c_n >> 2u) + ((ldc * c_m) >> 2u)] = f16vec4(result[4u * v2], result[4u * v2 + 1u],
                  result[4u * v2 + 2u], result[4u * v2 + 3u]);
            }
          }
        }
      } else {
        // one element at a time
        uint c_n0 = 64u * block_y + 32u * (subgroup >> 1u) + 4u * (lane & 7u);
        uint c_m0 = 64u * tile_m + 16u * (row + 2u * (subgroup & 1u)) + (lane >> 3u);
        [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            uint c_n = c_n0 + v0;
            uint c_m = c_m0 + 4u * v2;
            if (c_n < n && c_m < m) {
              c[c_n + ldc * c_m] = result[v0 + 4u * v2];
            }
          }
        }
      }
    }
  }
}
