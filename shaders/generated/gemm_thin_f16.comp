// generated: gemm/thin  types=f16,f32,f16  a=k  b=k  small=m  rows=2  threads=128  along-k=32  reads=1x2
//   vector=16  subgroup-size=32
// the large operand is read once; the sums of the threads along k are added at the end
// vkmoye 0.1.0: vkmoye-bench emit gemm/thin --type f16,f32,f16 --reads 1x2 --rows 2
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer A { float16_t a[]; };  // (k,m)
layout(std430, binding = 0) readonly buffer A_x8 { uvec4 a_x8[]; };  // (k,m)
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };  // (k,n)
layout(std430, binding = 1) readonly buffer B_x8 { uvec4 b_x8[]; };  // (k,n)
layout(std430, binding = 2) writeonly restrict buffer C { float16_t c[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, lda, ldb, ldc; float alpha;
    uint first_group_x, first_group_y; };

float large[16];  // (8,2):(1,8)
float small[16];  // (8,2):(1,8)
float sums[4];  // (2,2):(1,2)

void multiply() {
  // sums += large * small, over the k of the tile
  [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
    [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
      [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
        sums[v0 + 2u * v2] = fma(large[8u * v0 + v1], small[v1 + 8u * v2], sums[v0 + 2u * v2]);
      }
    }
  }
}

void main() {
  float16_t result[4];  // (1,2,2):(1,1,2)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    sums[v0] = 0.0;
  }

  if (alpha != 0.0 && k != 0u) {
    if ((k & 7u) == 0u && (ldb & 7u) == 0u && (lda & 7u) == 0u) {
      // rows of A and B are aligned: they are read in vectors
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 8u) + 1u; ++k_tile) {  // ceil(k / 256)
        // copy partition(tile(b, (256,8)), (256,4)) at (256 k_tile, 8 block_x)
        //   to large
        if (256u * k_tile + 255u < k && 8u * block_x + 7u < n) {
          // a whole tile
          uint b_n = 8u * block_x + (thread >> 5u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            uvec4 value = b_x8[32u * k_tile + (thread & 31u) + ((ldb * (b_n + 4u * v2)) >> 3u)];
            large[8u * v2] = float(unpackFloat2x16(value.x)[0]);
            large[8u * v2 + 1u] = float(unpackFloat2x16(value.x)[1]);
            large[8u * v2 + 2u] = float(unpackFloat2x16(value.y)[0]);
            large[8u * v2 + 3u] = float(unpackFloat2x16(value.y)[1]);
            large[8u * v2 + 4u] = float(unpackFloat2x16(value.z)[0]);
            large[8u * v2 + 5u] = float(unpackFloat2x16(value.z)[1]);
            large[8u * v2 + 6u] = float(unpackFloat2x16(value.w)[0]);
            large[8u * v2 + 7u] = float(unpackFloat2x16(value.w)[1]);
          }
        } else {
          // a tile at an edge, 0 outside
          uint b_k = 256u * k_tile + 8u * (thread & 31u);
          uint b_n0 = 8u * block_x + (thread >> 5u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            uint b_n = b_n0 + 4u * v2;
            if (b_k < k && b_n < n) {
              uvec4 value = b_x8[(b_k >> 3u) + ((ldb * b_n) >> 3u)];
              large[8u * v2] = float(unpackFloat2x16(value.x)[0]);
              large[8u * v2 + 1u] = float(unpackFloat2x16(value.x)[1]);
              large[8u * v2 + 2u] = float(unpackFloat2x16(value.y)[0]);
              large[8u * v2 + 3u] = float(unpackFloat2x16(value.y)[1]);
              large[8u * v2 + 4u] = float(unpackFloat2x16(value.z)[0]);
              large[8u * v2 + 5u] = float(unpackFloat2x16(value.z)[1]);
              large[8u * v2 + 6u] = float(unpackFloat2x16(value.w)[0]);
              large[8u * v2 + 7u] = float(unpackFloat2x16(value.w)[1]);
            } else {
              large[8u * v2] = 0.0;
              large[8u * v2 + 1u] = 0.0;
              large[8u * v2 + 2u] = 0.0;
              large[8u * v2 + 3u] = 0.0;
              large[8u * v2 + 4u] = 0.0;
              large[8u * v2 + 5u] = 0.0;
              large[8u * v2 + 6u] = 0.0;
              large[8u * v2 + 7u] = 0.0;
            }
          }
        }

        // copy partition(tile(a, (256,2)), (256,1)) at (256 k_tile, 2 block_y)
        //   to small
        if (256u * k_tile + 255u < k && 2u * block_y + 1u < m) {
          // a whole tile
          uint a_m = 2u * block_y;
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            uvec4 value = a_x8[32u * k_tile + (thread & 31u) + ((lda * (a_m + v2)) >> 3u)];
            small[8u * v2] = float(unpackFloat2x16(value.x)[0]);
            small[8u * v2 + 1u] = float(unpackFloat2x16(value.x)[1]);
            small[8u * v2 + 2u] = float(unpackFloat2x16(value.y)[0]);
            small[8u * v2 + 3u] = float(unpackFloat2x16(value.y)[1]);
            small[8u * v2 + 4u] = float(unpackFloat2x16(value.z)[0]);
            small[8u * v2 + 5u] = float(unpackFloat2x16(value.z)[1]);
            small[8u * v2 + 6u] = float(unpackFloat2x16(value.w)[0]);
            small[8u * v2 + 7u] = float(unpackFloat2x16(value.w)[1]);
          }
        } else {
          // a tile at an edge, 0 outside
          uint a_k = 256u * k_tile + 8u * (thread & 31u);
          uint a_m0 = 2u * block_y;
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            uint a_m = a_m0 + v2;
            if (a_k < k && a_m < m) {
              uvec4 value = a_x8[(a_k >> 3u) + ((lda * a_m) >> 3u)];
              small[8u * v2] = float(unpackFloat2x16(value.x)[0]);
              small[8u * v2 + 1u] = float(unpackFloat2x16(value.x)[1]);
              small[8u * v2 + 2u] = float(unpackFloat2x16(value.y)[0]);
              small[8u * v2 + 3u] = float(unpackFloat2x16(value.y)[1]);
              small[8u * v2 + 4u] = float(unpackFloat2x16(value.z)[0]);
              small[8u * v2 + 5u] = float(unpackFloat2x16(value.z)[1]);
              small[8u * v2 + 6u] = float(unpackFloat2x16(value.w)[0]);
              small[8u * v2 + 7u] = float(unpackFloat2x16(value.w)[1]);
            } else {
              small[8u * v2] = 0.0;
              small[8u * v2 + 1u] = 0.0;
              small[8u * v2 + 2u] = 0.0;
              small[8u * v2 + 3u] = 0.0;
              small[8u * v2 + 4u] = 0.0;
              small[8u * v2 + 5u] = 0.0;
              small[8u * v2 + 6u] = 0.0;
              small[8u * v2 + 7u] = 0.0;
            }
          }
        }

        multiply();
      }
    } else {
      // rows of A or B are not aligned: they are read one by one
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 8u) + 1u; ++k_tile) {  // ceil(k / 256)
        // copy partition(tile(b, (256,8)), (32,4)) at (256 k_tile, 8 block_x)
        //   to large
        if (256u * k_tile + 255u < k && 8u * block_x + 7u < n) {
          // a whole tile
          uint b_k = 256u * k_tile + (thread & 31u);
          uint b_n = 8u * block_x + (thread >> 5u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
              large[v1 + 8u * v2] = float(b[b_k + 32u * v1 + ldb * (b_n + 4u * v2)]);
            }
          }
        } else {
          // a tile at an edge, 0 outside
          uint b_k0 = 256u * k_tile + (thread & 31u);
          uint b_n0 = 8u * block_x + (thread >> 5u);
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
              uint b_k = b_k0 + 32u * v1;
              uint b_n = b_n0 + 4u * v2;
              if (b_k < k && b_n < n) {
                large[v1 + 8u * v2] = float(b[b_k + ldb * b_n]);
              } else {
                large[v1 + 8u * v2] = 0.0;
              }
            }
          }
        }

        // copy partition(tile(a, (256,2)), (32,1)) at (256 k_tile, 2 block_y)
        //   to small
        if (256u * k_tile + 255u < k && 2u * block_y + 1u < m) {
          // a whole tile
          uint a_k = 256u * k_tile + (thread & 31u);
          uint a_m = 2u * block_y;
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
              small[v1 + 8u * v2] = float(a[a_k + 32u * v1 + lda * (a_m + v2)]);
            }
          }
        } else {
          // a tile at an edge, 0 outside
          uint a_k0 = 256u * k_tile + (thread & 31u);
          uint a_m0 = 2u * block_y;
          [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
            [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
              uint a_k = a_k0 + 32u * v1;
              uint a_m = a_m0 + v2;
              if (a_k < k && a_m < m) {
                small[v1 + 8u * v2] = float(a[a_k + lda * a_m]);
              } else {
                small[v1 + 8u * v2] = 0.0;
              }
            }
          }
        }

        multiply();
      }
    }
  }

  // sums <- sum over the lanes of the subgroup
  [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
    sums[v0] = subgroupAdd(sums[v0]);
  }

  if ((thread & 31u) == 0u) {
    // result <- alpha * sums
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        result[v1 + 2u * v2] = float16_t(alpha * sums[v1 + 2u * v2]);
      }
    }

    // copy result
    //   to partition(tile(c, (8,2)), (4,1)) at (8 block_x, 2 block_y)
    {
      uint c_n0 = 8u * block_x + (thread >> 5u);
      uint c_m0 = 2u * block_y;
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          uint c_n = c_n0 + 4u * v1;
          uint c_m = c_m0 + v2;
          if (c_n < n && c_m < m) {
            c[c_n + ldc * c_m] = result[v1 + 2u * v2];
          }
        }
      }
    }
  }
}
