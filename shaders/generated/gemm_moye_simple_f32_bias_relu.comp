// generated: gemm/moye_simple  types=f32,f32,f32  a=k  b=k  epilogue=bias,relu  tile=128x128x8
//   threads=(16,16):(1,16)  values=1x1  pad=0,0  stages=1  prefetch=no  fragments=1  unroll=8  vector=4
// each tile is copied, then multiplied
// vkmoye 0.1.0: vkmoye-bench emit gemm/moye_simple --type f32,f32,f32 --epilogue bias,relu
#version 460
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer A { float a[]; };  // (k,m)
layout(std430, binding = 1) readonly restrict buffer B { float b[]; };  // (k,n)
layout(std430, binding = 2) readonly restrict buffer Bias { float bias[]; };  // (n)
layout(std430, binding = 3) writeonly restrict buffer C { float c[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, lda, ldb, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared float shared_a[1024];  // (128,8):(1,128)
shared float shared_b[1024];  // (128,8):(1,128)

float sums[64];  // ((1,1),8,8):((1,1),1,8)
float fragment_a[8];  // (1,8,1):(1,1,8)
float fragment_b[8];  // (1,8,1):(1,1,8)

void multiply(uint thread) {
  [[unroll]] for (uint kk = 0u; kk < 8u; ++kk) {
    // copy slice(partition(shared_a, (16)), (_,_,kk))
    //   to slice(fragment_a, (_,_,0))
    {
      uint shared_a_at = (thread & 15u) + 128u * kk;
      [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
        fragment_a[v1] = shared_a[shared_a_at + 16u * v1];
      }
    }

    // copy slice(partition(shared_b, (16)), (_,_,kk))
    //   to slice(fragment_b, (_,_,0))
    {
      uint shared_b_at = (thread >> 4u) + 128u * kk;
      [[unroll]] for (uint v1 = 0u; v1 < 8u; ++v1) {
        fragment_b[v1] = shared_b[shared_b_at + 16u * v1];
      }
    }

    // sums += slice(fragment_a, (_,_,0)) * slice(fragment_b, (_,_,0))
    [[unroll]] for (uint n1 = 0u; n1 < 8u; ++n1) {
      [[unroll]] for (uint m1 = 0u; m1 < 8u; ++m1) {
        sums[m1 + 8u * n1] = fma(fragment_a[m1], fragment_b[n1], sums[m1 + 8u * n1]);
      }
    }
  }
}

void main() {
  float result[8];  // ((1,1),8):((1,1),1)
  float held_bias[8];  // ((1,1),8):((1,1),1)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 64u; ++v0) {
    sums[v0] = 0.0;
  }

  if (alpha != 0.0 && k != 0u) {
    for (uint k_tile = 0u; k_tile < ((k - 1u) >> 3u) + 1u; ++k_tile) {  // ceil(k / 8)
      if (8u * k_tile + 7u < k && 128u * block_y + 127u < m && 128u * block_x + 127u < n) {
        // whole tiles

        // copy partition(tile(a, (8,128)), (8,32)) at (8 k_tile, 128 block_y)
        //   to partition(transpose(shared_a), (8,32))
        {
          uint a_k = 8u * k_tile + (thread & 7u);
          uint a_m = 128u * block_y + (thread >> 3u);
          uint shared_a_at = 128u * (thread & 7u) + (thread >> 3u);
          for (uint v2 = 0u; v2 < 4u; ++v2) {
            shared_a[shared_a_at + 32u * v2] = a[a_k + lda * (a_m + 32u * v2)];
          }
        }

        // copy partition(tile(b, (8,128)), (8,32)) at (8 k_tile, 128 block_x)
        //   to partition(transpose(shared_b), (8,32))
        {
          uint b_k = 8u * k_tile + (thread & 7u);
          uint b_n = 128u * block_x + (thread >> 3u);
          uint shared_b_at = 128u * (thread & 7u) + (thread >> 3u);
          for (uint v2 = 0u; v2 < 4u; ++v2) {
            shared_b[shared_b_at + 32u * v2] = b[b_k + ldb * (b_n + 32u * v2)];
          }
        }
      } else {
        // tiles at an edge, 0 outside

        // copy partition(tile(a, (8,128)), (8,32)) at (8 k_tile, 128 block_y)
        //   to partition(transpose(shared_a), (8,32))
        {
          uint a_k = 8u * k_tile + (thread & 7u);
          uint a_m0 = 128u * block_y + (thread >> 3u);
          uint shared_a_at = 128u * (thread & 7u) + (thread >> 3u);
          for (uint v2 = 0u; v2 < 4u; ++v2) {
            uint a_m = a_m0 + 32u * v2;
            if (a_k < k && a_m < m) {
              shared_a[shared_a_at + 32u * v2] = a[a_k + lda * a_m];
            } else {
              shared_a[shared_a_at + 32u * v2] = 0.0;
            }
          }
        }

        // copy partition(tile(b, (8,128)), (8,32)) at (8 k_tile, 128 block_x)
        //   to partition(transpose(shared_b), (8,32))
        {
          uint b_k = 8u * k_tile + (thread & 7u);
          uint b_n0 = 128u * block_x + (thread >> 3u);
          uint shared_b_at = 128u * (thread & 7u) + (thread >> 3u);
          for (uint v2 = 0u; v2 < 4u; ++v2) {
            uint b_n = b_n0 + 32u * v2;
            if (b_k < k && b_n < n) {
              shared_b[shared_b_at + 32u * v2] = b[b_k + ldb * b_n];
            } else {
              shared_b[shared_b_at + 32u * v2] = 0.0;
            }
          }
        }
      }

      barrier();
      multiply(thread);
      barrier();
    }
  }

  [[unroll]] for (uint r = 0u; r < 8u; ++r) {
    // copy bias at the coordinates of slice(partition(transpose(tile(c, (128,128))), (16,16)), (_,r,_))
    //   to held_bias
    {
      uint bias_n0 = 128u * block_x + (thread >> 4u);
      [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
        uint bias_n = bias_n0 + 16u * v2;
        if (bias_n < n) {
          held_bias[v2] = bias[bias_n];
        } else {
          held_bias[v2] = 0.0;
        }
      }
    }

    // result <- alpha * slice(sums, (_,r,_)), then bias,relu
    [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
      float product = alpha * sums[r + 8u * v0];
      float after_bias = product + held_bias[v0];
      float after_relu = (0.0 < after_bias || isnan(after_bias)) ? after_bias : 0.0;
      result[v0] = after_relu;
    }

    // copy result
    //   to slice(partition(transpose(tile(c, (128,128))), (16,16)), (_,r,_)) at (128 block_x, 128 block_y)
    {
      uint c_n0 = 128u * block_x + (thread >> 4u);
      uint c_m = 128u * block_y + (thread & 15u) + 16u * r;
      if (c_m < m) {
        [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
          uint c_n = c_n0 + 16u * v2;
          if (c_n < n) {
            c[c_n + ldc * c_m] = result[v2];
          }
        }
      }
    }
  }
}
