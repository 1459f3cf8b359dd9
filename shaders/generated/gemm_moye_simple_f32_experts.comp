// generated: gemm/moye_simple  types=f32,f32,f32  a=k  b=k  experts  tile=32x32x8  threads=(8,8):(1,8)
//   values=1x1  pad=0,0  stages=1  prefetch=no  fragments=1  unroll=8  vector=4
// each tile is copied, then multiplied
// vkmoye 0.1.0: vkmoye-bench emit gemm/moye_simple --type f32,f32,f32 --experts 4
//   --threads '(8,8):(1,8)' --tile 32x32x8
#version 460
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly restrict buffer A { float a[]; };  // (k,m)
layout(std430, binding = 1) readonly restrict buffer B { float b[]; };  // (k,n,experts)
layout(std430, binding = 2) readonly restrict buffer Offsets { uint offsets[]; };  // (ends)
layout(std430, binding = 3) writeonly restrict buffer C { float c[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, lda, ldb, experts, stride_b, ends, padded_m, ldc;
    float alpha; uint first_group_x, first_group_y; };

shared uint found[1];  // (1):(1)
shared float shared_a[256];  // (32,8):(1,32)
shared float shared_b[256];  // (32,8):(1,32)

float sums[16];  // ((1,1),4,4):((1,1),1,4)
float fragment_a[4];  // (1,4,1):(1,1,4)
float fragment_b[4];  // (1,4,1):(1,1,4)

void multiply(uint thread) {
  [[unroll]] for (uint kk = 0u; kk < 8u; ++kk) {
    // copy slice(partition(shared_a, (8)), (_,_,kk))
    //   to slice(fragment_a, (_,_,0))
    {
      uint shared_a_at = (thread & 7u) + 32u * kk;
      [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
        fragment_a[v1] = shared_a[shared_a_at + 8u * v1];
      }
    }

    // copy slice(partition(shared_b, (8)), (_,_,kk))
    //   to slice(fragment_b, (_,_,0))
    {
      uint shared_b_at = (thread >> 3u) + 32u * kk;
      [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
        fragment_b[v1] = shared_b[shared_b_at + 8u * v1];
      }
    }

    // sums += slice(fragment_a, (_,_,0)) * slice(fragment_b, (_,_,0))
    [[unroll]] for (uint n1 = 0u; n1 < 4u; ++n1) {
      [[unroll]] for (uint m1 = 0u; m1 < 4u; ++m1) {
        sums[m1 + 4u * n1] = fma(fragment_a[m1], fragment_b[n1], sums[m1 + 4u * n1]);
      }
    }
  }
}

void main() {
  float result[4];  // ((1,1),4):((1,1),1)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;
  // assumed: experts != 0: there is an expert
  // assumed: experts < ends: offsets has the end of the last one

  // the expert of this tile: the last one whose first tile is not after it
  if (thread == 0u) {
    found[0] = 0u;
  }

  barrier();
  for (uint pass = 0u; pass < (experts >> 6u) + min(experts & 63u, 1u); ++pass) {  // ceil(experts / 64)
    uint other = 64u * pass + thread;
    if (other < experts) {
      uint row_of_other = offsets[other];
      if ((row_of_other >> 5u) + other < block_y + 1u) {
        uint before = atomicMax(found[0], other);
      }
    }
  }

  barrier();

  uint found_expert = found[0];
  uint expert = min(found_expert, experts - 1u);
  uint expert_row = offsets[expert];
  uint expert_end = offsets[expert + 1u];
  uint rows_before = 32u * (block_y - min(block_y, (expert_row >> 5u) + expert));
  uint tile_row = expert_row + rows_before;

  if (rows_before < expert_end - min(expert_row, expert_end) && expert_end <= m && tile_row < m) {
    // sums <- 0
    [[unroll]] for (uint v0 = 0u; v0 < 16u; ++v0) {
      sums[v0] = 0.0;
    }

    if (alpha != 0.0 && k != 0u) {
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 3u) + 1u; ++k_tile) {  // ceil(k / 8)
        if (8u * k_tile + 7u < k && tile_row < m && 31u < m - tile_row && 32u * block_x + 31u < n
            && expert < experts) {
          // whole tiles

          // copy partition(shifted(tile(a, (8,32)), tile_row), (8,8)) at (8 k_tile, tile_row)
          //   to partition(transpose(shared_a), (8,8))
          {
            uint a_k = 8u * k_tile + (thread & 7u);
            uint a_m = tile_row + (thread >> 3u);
            uint shared_a_at = 32u * (thread & 7u) + (thread >> 3u);
            for (uint v2 = 0u; v2 < 4u; ++v2) {
              shared_a[shared_a_at + 8u * v2] = a[a_k + lda * (a_m + 8u * v2)];
            }
          }

          // copy partition(slice(tile(b, (8,32,1)), (_,_,0)), (8,8)) at (8 k_tile, 32 block_x, expert)
          //   to partition(transpose(shared_b), (8,8))
          {
            uint b_k = 8u * k_tile + (thread & 7u);
            uint b_n = 32u * block_x + (thread >> 3u);
            uint shared_b_at = 32u * (thread & 7u) + (thread >> 3u);
            for (uint v2 = 0u; v2 < 4u; ++v2) {
              shared_b[shared_b_at + 8u * v2] = b[b_k + ldb * (b_n + 8u * v2) + stride_b * expert];
            }
          }
        } else {
          // tiles at an edge, 0 outside

          // copy partition(shifted(tile(a, (8,32)), tile_row), (8,8)) at (8 k_tile, tile_row)
          //   to partition(transpose(shared_a), (8,8))
          {
            uint a_k = 8u * k_tile + (thread & 7u);
            uint a_m0 = tile_row + (thread >> 3u);
            uint shared_a_at = 32u * (thread & 7u) + (thread >> 3u);
            for (uint v2 = 0u; v2 < 4u; ++v2) {
              uint a_m = a_m0 + 8u * v2;
              if (a_k < k && a_m < m) {
                shared_a[shared_a_at + 8u * v2] = a[a_k + lda * a_m];
              } else {
                shared_a[shared_a_at + 8u * v2] = 0.0;
              }
            }
          }

          // copy partition(slice(tile(b, (8,32,1)), (_,_,0)), (8,8)) at (8 k_tile, 32 block_x, expert)
          //   to partition(transpose(shared_b), (8,8))
          {
            uint b_k = 8u * k_tile + (thread & 7u);
            uint b_n0 = 32u * block_x + (thread >> 3u);
            uint shared_b_at = 32u * (thread & 7u) + (thread >> 3u);
            for (uint v2 = 0u; v2 < 4u; ++v2) {
              uint b_n = b_n0 + 8u * v2;
              if (b_k < k && expert < experts && b_n < n) {
                shared_b[shared_b_at + 8u * v2] = b[b_k + ldb * b_n + stride_b * expert];
              } else {
                shared_b[shared_b_at + 8u * v2] = 0.0;
              }
            }
          }
        }

        barrier();
        multiply(thread);
        barrier();
      }
    }

    [[unroll]] for (uint r = 0u; r < 4u; ++r) {
      // result <- alpha * slice(sums, (_,r,_))
      [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
        result[v2] = alpha * sums[r + 4u * v2];
      }

      // copy result
      //   to slice(partition(transpose(shifted(tile(c, (32,32)), tile_row)), (8,8)), (_,r,_))
      //   at (32 block_x, tile_row)
      {
        uint c_n0 = 32u * block_x + (thread >> 3u);
        uint c_m = tile_row + (thread & 7u) + 8u * r;
        if (c_m < expert_end) {
          [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
            uint c_n = c_n0 + 8u * v2;
            if (c_n < n) {
              c[c_n + ldc * c_m] = result[v2];
            }
          }
        }
      }
    }
  }
}
