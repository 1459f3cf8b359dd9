// generated: gemm/simt  types=f32,f32,f32  a=k  b=k  tile=128x128x8  threads=((8,2),(4,2)):((1,32),(8,64))
//   values=4x4  pad=4,4  stages=2  prefetch=yes  fragments=2  unroll=8  vector=16
// the next tiles are fetched into registers, then into the other shared tile, while this one is multiplied
// vkmoye 0.1.0: vkmoye-bench emit gemm/simt --type f32,f32,f32
#version 460
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer A { float a[]; };  // (k,m)
layout(std430, binding = 0) readonly buffer A_x4 { vec4 a_x4[]; };  // (k,m)
layout(std430, binding = 1) readonly buffer B { float b[]; };  // (k,n)
layout(std430, binding = 1) readonly buffer B_x4 { vec4 b_x4[]; };  // (k,n)
layout(std430, binding = 2) writeonly buffer C { float c[]; };  // (n,m)
layout(std430, binding = 2) writeonly buffer C_x4 { vec4 c_x4[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, lda, ldb, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared vec4 shared_a[527];  // (128,8,2):(1,132,1056), in f32
shared vec4 shared_b[527];  // (128,8,2):(1,132,1056), in f32

float sums[128];  // ((4,4),2,4):((1,4),16,32)
float next_a[8];  // (4,1,2):(1,4,4)
float next_b[8];  // (4,1,2):(1,4,4)
float fragment_a[16];  // (4,2,2):(1,4,8)
float fragment_b[32];  // (4,4,2):(1,4,16)

void load_next(uint tile, uint ahead, uint block_y, uint block_x, uint thread) {
  if (8u * (tile + ahead) + 7u < k && 128u * block_y + 127u < m && 128u * block_x + 127u < n) {
    // whole tiles

    // copy partition(tile(a, (8,128)), (8,64)) at (8 (tile + ahead), 128 block_y)
    //   to next_a
    {
      uint a_m = 128u * block_y + (thread >> 1u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        vec4 value = a_x4[2u * (tile + ahead) + (thread & 1u) + ((lda * (a_m + 64u * v2)) >> 2u)];
        next_a[4u * v2] = value.x;
        next_a[4u * v2 + 1u] = value.y;
        next_a[4u * v2 + 2u] = value.z;
        next_a[4u * v2 + 3u] = value.w;
      }
    }

    // copy partition(tile(b, (8,128)), (8,64)) at (8 (tile + ahead), 128 block_x)
    //   to next_b
    {
      uint b_n = 128u * block_x + (thread >> 1u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        vec4 value = b_x4[2u * (tile + ahead) + (thread & 1u) + ((ldb * (b_n + 64u * v2)) >> 2u)];
        next_b[4u * v2] = value.x;
        next_b[4u * v2 + 1u] = value.y;
        next_b[4u * v2 + 2u] = value.z;
        next_b[4u * v2 + 3u] = value.w;
      }
    }
  } else {
    // tiles at an edge, 0 outside

    // copy partition(tile(a, (8,128)), (8,64)) at (8 (tile + ahead), 128 block_y)
    //   to next_a
    {
      uint a_k = 8u * (tile + ahead) + 4u * (thread & 1u);
      uint a_m0 = 128u * block_y + (thread >> 1u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        uint a_m = a_m0 + 64u * v2;
        if (a_k < k && a_m < m) {
          vec4 value = a_x4[(a_k >> 2u) + ((lda * a_m) >> 2u)];
          next_a[4u * v2] = value.x;
          next_a[4u * v2 + 1u] = value.y;
          next_a[4u * v2 + 2u] = value.z;
          next_a[4u * v2 + 3u] = value.w;
        } else {
          next_a[4u * v2] = 0.0;
          next_a[4u * v2 + 1u] = 0.0;
          next_a[4u * v2 + 2u] = 0.0;
          next_a[4u * v2 + 3u] = 0.0;
        }
      }
    }

    // copy partition(tile(b, (8,128)), (8,64)) at (8 (tile + ahead), 128 block_x)
    //   to next_b
    {
      uint b_k = 8u * (tile + ahead) + 4u * (thread & 1u);
      uint b_n0 = 128u * block_x + (thread >> 1u);
      [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
        uint b_n = b_n0 + 64u * v2;
        if (b_k < k && b_n < n) {
          vec4 value = b_x4[(b_k >> 2u) + ((ldb * b_n) >> 2u)];
          next_b[4u * v2] = value.x;
          next_b[4u * v2 + 1u] = value.y;
          next_b[4u * v2 + 2u] = value.z;
          next_b[4u * v2 + 3u] = value.w;
        } else {
          next_b[4u * v2] = 0.0;
          next_b[4u * v2 + 1u] = 0.0;
          next_b[4u * v2 + 2u] = 0.0;
          next_b[4u * v2 + 3u] = 0.0;
        }
      }
    }
  }
}

void store_next(uint stage, uint thread) {
  // copy next_a
  //   to partition(transpose(slice(shared_a, (_,_,stage))), (8,64))
  {
    uint shared_a_at = 1056u * stage + 528u * (thread & 1u) + (thread >> 1u);
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      shared_a[16u * v2 + (shared_a_at >> 2u)][shared_a_at & 3u] = next_a[4u * v2];
      shared_a[33u + 16u * v2 + (shared_a_at >> 2u)][shared_a_at & 3u] = next_a[4u * v2 + 1u];
      shared_a[66u + 16u * v2 + (shared_a_at >> 2u)][shared_a_at & 3u] = next_a[4u * v2 + 2u];
      shared_a[99u + 16u * v2 + (shared_a_at >> 2u)][shared_a_at & 3u] = next_a[4u * v2 + 3u];
    }
  }

  // copy next_b
  //   to partition(transpose(slice(shared_b, (_,_,stage))), (8,64))
  {
    uint shared_b_at = 1056u * stage + 528u * (thread & 1u) + (thread >> 1u);
    [[unroll]] for (uint v2 = 0u; v2 < 2u; ++v2) {
      shared_b[16u * v2 + (shared_b_at >> 2u)][shared_b_at & 3u] = next_b[4u * v2];
      shared_b[33u + 16u * v2 + (shared_b_at >> 2u)][shared_b_at & 3u] = next_b[4u * v2 + 1u];
      shared_b[66u + 16u * v2 + (shared_b_at >> 2u)][shared_b_at & 3u] = next_b[4u * v2 + 2u];
      shared_b[99u + 16u * v2 + (shared_b_at >> 2u)][shared_b_at & 3u] = next_b[4u * v2 + 3u];
    }
  }
}

void read_fragments(uint stage, uint step, uint number, uint thread) {
  // copy slice(partition(slice(shared_a, (_,_,stage)), (64)), (_,_,step))
  //   to slice(fragment_a, (_,_,number))
  {
    uint shared_a_at = 264u * stage + (thread & 7u) + 8u * ((thread >> 5u) & 1u) + 33u * step;
    uint fragment_a_at = 8u * number;
    [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
      vec4 value = shared_a[shared_a_at + 16u * v1];
      fragment_a[fragment_a_at + 4u * v1] = value.x;
      fragment_a[fragment_a_at + 4u * v1 + 1u] = value.y;
      fragment_a[fragment_a_at + 4u * v1 + 2u] = value.z;
      fragment_a[fragment_a_at + 4u * v1 + 3u] = value.w;
    }
  }

  // copy slice(partition(slice(shared_b, (_,_,stage)), (32)), (_,_,step))
  //   to slice(fragment_b, (_,_,number))
  {
    uint shared_b_at = 264u * stage + ((thread >> 3u) & 3u) + 4u * (thread >> 6u) + 33u * step;
    uint fragment_b_at = 16u * number;
    [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
      vec4 value = shared_b[shared_b_at + 8u * v1];
      fragment_b[fragment_b_at + 4u * v1] = value.x;
      fragment_b[fragment_b_at + 4u * v1 + 1u] = value.y;
      fragment_b[fragment_b_at + 4u * v1 + 2u] = value.z;
      fragment_b[fragment_b_at + 4u * v1 + 3u] = value.w;
    }
  }
}

void multiply_fragments(uint number) {
  // sums += slice(fragment_a, (_,_,number)) * slice(fragment_b, (_,_,number))
  [[unroll]] for (uint n1 = 0u; n1 < 4u; ++n1) {
    [[unroll]] for (uint n0 = 0u; n0 < 4u; ++n0) {
      [[unroll]] for (uint m1 = 0u; m1 < 2u; ++m1) {
        [[unroll]] for (uint m0 = 0u; m0 < 4u; ++m0) {
          sums[m0 + 4u * n0 + 16u * m1 + 32u * n1] = fma(fragment_a[8u * number + m0 + 4u * m1],
              fragment_b[16u * number + n0 + 4u * n1], sums[m0 + 4u * n0 + 16u * m1 + 32u * n1]);
        }
      }
    }
  }
}

void load_next_one_by_one(uint tile, uint ahead, uint block_y, uint block_x, uint thread) {
  if (8u * (tile + ahead) + 7u < k && 128u * block_y + 127u < m && 128u * block_x + 127u < n) {
    // whole tiles

    // copy partition(tile(a, (8,128)), (8,16)) at (8 (tile + ahead), 128 block_y)
    //   to next_a
    {
      uint a_k = 8u * (tile + ahead) + (thread & 7u);
      uint a_m = 128u * block_y + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
        next_a[v2] = a[a_k + lda * (a_m + 16u * v2)];
      }
    }

    // copy partition(tile(b, (8,128)), (8,16)) at (8 (tile + ahead), 128 block_x)
    //   to next_b
    {
      uint b_k = 8u * (tile + ahead) + (thread & 7u);
      uint b_n = 128u * block_x + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
        next_b[v2] = b[b_k + ldb * (b_n + 16u * v2)];
      }
    }
  } else {
    // tiles at an edge, 0 outside

    // copy partition(tile(a, (8,128)), (8,16)) at (8 (tile + ahead), 128 block_y)
    //   to next_a
    {
      uint a_k = 8u * (tile + ahead) + (thread & 7u);
      uint a_m0 = 128u * block_y + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
        uint a_m = a_m0 + 16u * v2;
        if (a_k < k && a_m < m) {
          next_a[v2] = a[a_k + lda * a_m];
        } else {
          next_a[v2] = 0.0;
        }
      }
    }

    // copy partition(tile(b, (8,128)), (8,16)) at (8 (tile + ahead), 128 block_x)
    //   to next_b
    {
      uint b_k = 8u * (tile + ahead) + (thread & 7u);
      uint b_n0 = 128u * block_x + (thread >> 3u);
      [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
        uint b_n = b_n0 + 16u * v2;
        if (b_k < k && b_n < n) {
          next_b[v2] = b[b_k + ldb * b_n];
        } else {
          next_b[v2] = 0.0;
        }
      }
    }
  }
}

void store_next_one_by_one(uint stage, uint thread) {
  // copy next_a
  //   to partition(transpose(slice(shared_a, (_,_,stage))), (8,16))
  {
    uint shared_a_at = 1056u * stage + 132u * (thread & 7u) + (thread >> 3u);
    [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
      shared_a[4u * v2 + (shared_a_at >> 2u)][shared_a_at & 3u] = next_a[v2];
    }
  }

  // copy next_b
  //   to partition(transpose(slice(shared_b, (_,_,stage))), (8,16))
  {
    uint shared_b_at = 1056u * stage + 132u * (thread & 7u) + (thread >> 3u);
    [[unroll]] for (uint v2 = 0u; v2 < 8u; ++v2) {
      shared_b[4u * v2 + (shared_b_at >> 2u)][shared_b_at & 3u] = next_b[v2];
    }
  }
}

void main() {
  float result[64];  // ((4,4),4):((1,4),16)
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // sums <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 128u; ++v0) {
    sums[v0] = 0.0;
  }

  if (alpha != 0.0 && k != 0u) {
    if ((k & 3u) == 0u && (lda & 3u) == 0u && (ldb & 3u) == 0u) {
      // rows of A and B are aligned: they are read in vectors
      load_next(0u, 0u, block_y, block_x, thread);
      store_next(0u, thread);
      barrier();
      read_fragments(0u, 0u, 0u, thread);
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 3u) + 1u; ++k_tile) {  // ceil(k / 8)
        load_next(k_tile, 1u, block_y, block_x, thread);
        [[unroll]] for (uint kk = 0u; kk < 7u; ++kk) {
          read_fragments(k_tile & 1u, kk + 1u, (kk + 1u) & 1u, thread);
          multiply_fragments(kk & 1u);
        }

        store_next((k_tile + 1u) & 1u, thread);
        barrier();
        read_fragments((k_tile + 1u) & 1u, 0u, 0u, thread);
        multiply_fragments(1u);
      }
    } else {
      // rows of A or B are not aligned: they are read one by one
      load_next_one_by_one(0u, 0u, block_y, block_x, thread);
      store_next_one_by_one(0u, thread);
      barrier();
      read_fragments(0u, 0u, 0u, thread);
      for (uint k_tile = 0u; k_tile < ((k - 1u) >> 3u) + 1u; ++k_tile) {  // ceil(k / 8)
        load_next_one_by_one(k_tile, 1u, block_y, block_x, thread);
        [[unroll]] for (uint kk = 0u; kk < 7u; ++kk) {
          read_fragments(k_tile & 1u, kk + 1u, (kk + 1u) & 1u, thread);
          multiply_fragments(kk & 1u);
        }

        store_next_one_by_one((k_tile + 1u) & 1u, thread);
        barrier();
        read_fragments((k_tile + 1u) & 1u, 0u, 0u, thread);
        multiply_fragments(1u);
      }
    }
  }

  [[unroll]] for (uint r = 0u; r < 2u; ++r) {
    // result <- alpha * slice(sums, (_,r,_))
    [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
      [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          result[v0 + 4u * v1 + 16u * v2] = alpha * sums[16u * r + v0 + 4u * v1 + 32u * v2];
        }
      }
    }

    // copy result
    //   to slice(partition(transpose(tile(c, (128,128))), (64,32)), (_,r,_)) at (128 block_x, 128 block_y)
    if ((n & 3u) == 0u && (ldc & 3u) == 0u) {
      // 4 elements at a time
      uint c_n0 = 128u * block_x + 4u * ((thread >> 3u) & 3u) + 16u * (thread >> 6u);
      uint c_m0 = 128u * block_y + 4u * (thread & 7u) + 32u * ((thread >> 5u) & 1u) + 64u * r;
      [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
        [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
          uint c_n = c_n0 + 32u * v2;
          uint c_m = c_m0 + v0;
          if (c_n < n && c_m < m) {
            c_x4[(c_n >> 2u) + ((ldc * c_m) >> 2u)] = vec4(result[v0 + 16u * v2],
                result[v0 + 16u * v2 + 4u], result[v0 + 16u * v2 + 8u], result[v0 + 16u * v2 + 12u]);
          }
        }
      }
    } else {
      // one element at a time
      uint c_n0 = 128u * block_x + 4u * ((thread >> 3u) & 3u) + 16u * (thread >> 6u);
      uint c_m0 = 128u * block_y + 4u * (thread & 7u) + 32u * ((thread >> 5u) & 1u) + 64u * r;
      [[unroll]] for (uint v2 = 0u; v2 < 4u; ++v2) {
        [[unroll]] for (uint v1 = 0u; v1 < 4u; ++v1) {
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            uint c_n = c_n0 + v1 + 32u * v2;
            uint c_m = c_m0 + v0;
            if (c_n < n && c_m < m) {
              c[c_n + ldc * c_m] = result[v0 + 4u * v1 + 16u * v2];
            }
          }
        }
      }
    }
  }
}
