// generated: gemm/quantised  types=f16*q4_0,f32,f16  a=k  b=k  rows=1  threads=128  along-k=16  blocks=2
//   weights=1  subgroup-size=32  shared-bytes=32768
// the next weights are fetched while these, read once, are decoded in registers; the sums of the threads
//   along k are added at the end
// vkmoye 0.1.0: vkmoye-bench emit gemm/quantised --type 'f16*q4_0,f32,f16' --along-k 16 --rows 1
//   --weights 1
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer A { float16_t a[]; };  // (k,m)
layout(std430, binding = 0) readonly buffer A_x4 { f16vec4 a_x4[]; };  // (k,m)
layout(std430, binding = 1) readonly buffer B { uint16_t b[]; };  // (words,n)
layout(std430, binding = 1) readonly buffer B_x2 { u16vec2 b_x2[]; };  // (words,n)
layout(std430, binding = 2) writeonly restrict buffer C { float16_t c[]; };  // (n,m)
layout(push_constant) uniform Arguments { uint m, n, k, words, lda, ldb, ldc; float alpha;
    uint first_group_x, first_group_y; };

shared vec4 shared_a[271];  // (1,(64,16)):(1088,(1,68)), in f32

u16vec2 next_weights[9];  // (18,1,1):(1,18,18), in u16
float16_t next_a[8];  // (4,2,1):(1,4,8)
float elements[8];  // (8):(1)
float decoded[8];  // (8,1):(1,8)
float sums_of_group;
float sums;
uint codes_of_block[4];  // (4,1):(1,4)
float scales_of_block;

void fetch(uint tile, uint block_x, uint block_y, uint thread) {
  if ((k & 3u) == 0u && (lda & 3u) == 0u && (words & 1u) == 0u && (ldb & 1u) == 0u) {
    // rows of A and B are aligned: they are read in vectors
    if (288u * tile < words && 287u < words - 288u * tile && 8u * block_x + 7u < n && 1024u * tile + 1023u < k
        && block_y < m) {
      // whole tiles

      // copy partition(tile(b, (288,8)), (288,8)) at (288 tile, 8 block_x)
      //   to next_weights
      {
        uint b_n = 8u * block_x + (thread >> 4u);
        [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
          next_weights[v0] = b_x2[144u * tile + 9u * (thread & 15u) + v0 + ((ldb * b_n) >> 1u)];
        }
      }

      // copy partition(tile(a, (1024,1)), (512,1)) at (1024 tile, block_y)
      //   to next_a
      [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
        f16vec4 value = a_x4[256u * tile + thread + 128u * v1 + ((lda * block_y) >> 2u)];
        next_a[4u * v1] = value.x;
        next_a[4u * v1 + 1u] = value.y;
        next_a[4u * v1 + 2u] = value.z;
        next_a[4u * v1 + 3u] = value.w;
      }
    } else {
      // tiles at an edge, 0 outside

      // copy partition(tile(b, (288,8)), (288,8)) at (288 tile, 8 block_x)
      //   to next_weights
      {
        uint b_word0 = 288u * tile + 18u * (thread & 15u);
        uint b_n = 8u * block_x + (thread >> 4u);
        [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
          uint b_word = b_word0 + 2u * v0;
          if (b_n < n && b_word < words) {
            next_weights[v0] = b_x2[(b_word >> 1u) + ((ldb * b_n) >> 1u)];
          } else {
            next_weights[v0] = u16vec2(0);
          }
        }
      }

      // copy partition(tile(a, (1024,1)), (512,1)) at (1024 tile, block_y)
      //   to next_a
      {
        uint a_k0 = 1024u * tile + 4u * thread;
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          uint a_k = a_k0 + 512u * v1;
          if (block_y < m && a_k < k) {
            f16vec4 value = a_x4[(a_k >> 2u) + ((lda * block_y) >> 2u)];
            next_a[4u * v1] = value.x;
            next_a[4u * v1 + 1u] = value.y;
            next_a[4u * v1 + 2u] = value.z;
            next_a[4u * v1 + 3u] = value.w;
          } else {
            next_a[4u * v1] = float16_t(0.0);
            next_a[4u * v1 + 1u] = float16_t(0.0);
            next_a[4u * v1 + 2u] = float16_t(0.0);
            next_a[4u * v1 + 3u] = float16_t(0.0);
          }
        }
      }
    }
  } else {
    // rows of A or B are not aligned: they are read one by one
    if (288u * tile < words && 287u < words - 288u * tile && 8u * block_x + 7u < n && 1024u * tile + 1023u < k
        && block_y < m) {
      // whole tiles

      // copy partition(tile(b, (288,8)), (288,8)) at (288 tile, 8 block_x)
      //   to next_weights
      {
        uint b_word = 288u * tile + 18u * (thread & 15u);
        uint b_n = 8u * block_x + (thread >> 4u);
        [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
          next_weights[v0] = u16vec2(b[b_word + 2u * v0 + ldb * b_n], b[b_word + 2u * v0 + 1u + ldb * b_n]);
        }
      }

      // copy partition(tile(a, (1024,1)), (512,1)) at (1024 tile, block_y)
      //   to next_a
      {
        uint a_k = 1024u * tile + 4u * thread;
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            next_a[v0 + 4u * v1] = a[a_k + v0 + 512u * v1 + lda * block_y];
          }
        }
      }
    } else {
      // tiles at an edge, 0 outside

      // copy partition(tile(b, (288,8)), (288,8)) at (288 tile, 8 block_x)
      //   to next_weights
      {
        uint b_word0 = 288u * tile + 18u * (thread & 15u);
        uint b_n = 8u * block_x + (thread >> 4u);
        [[unroll]] for (uint v0 = 0u; v0 < 9u; ++v0) {
          uint b_word = b_word0 + 2u * v0;
          uint16_t value0 = b[min(b_word, words - 1u) + ldb * min(b_n, n - 1u)];
          uint16_t value1 = b[min(b_word + 1u, words - 1u) + ldb * min(b_n, n - 1u)];
          next_weights[v0] = u16vec2((b_word < words && b_n < n) ? value0 : uint16_t(0),
              (b_word + 1u < words && b_n < n) ? value1 : uint16_t(0));
        }
      }

      // copy partition(tile(a, (1024,1)), (512,1)) at (1024 tile, block_y)
      //   to next_a
      {
        uint a_k0 = 1024u * tile + 4u * thread;
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          [[unroll]] for (uint v0 = 0u; v0 < 4u; ++v0) {
            uint a_k = a_k0 + v0 + 512u * v1;
            float16_t value = a[min(a_k, k - 1u) + lda * min(block_y, m - 1u)];
            next_a[v0 + 4u * v1] = (a_k < k && block_y < m) ? value : float16_t(0.0);
          }
        }
      }
    }
  }
}

void multiply_group(uint group, uint thread) {
  // elements <- the elements of A for these weights
  {
    uint shared_a_at = 17u * (thread & 15u) + 2u * group;
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      vec4 value = shared_a[shared_a_at + v0];
      elements[4u * v0] = value.x;
      elements[4u * v0 + 1u] = value.y;
      elements[4u * v0 + 2u] = value.z;
      elements[4u * v0 + 3u] = value.w;
    }
  }

  sums_of_group = 0.0;

  // sums_of_group += decoded * elements
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    sums_of_group = fma(decoded[v0], elements[v0], sums_of_group);
  }
}

void multiply_block(uint block, uint thread) {
  [[unroll]] for (uint step = 0u; step < 2u; ++step) {
    float scale00 = scales_of_block;
    uint codes00 = codes_of_block[2u * step];
    uint codes01 = codes_of_block[2u * step + 1u];
    f16vec2 two00 = unpackFloat2x16((codes00 & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));
    f16vec2 two10 = unpackFloat2x16(((codes00 >> 8u) & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));
    f16vec2 two40 = unpackFloat2x16((codes01 & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));
    f16vec2 two50 = unpackFloat2x16(((codes01 >> 8u) & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));

    // decoded <- code - 8
    decoded[0] = float(two00.x);
    decoded[1] = float(two10.x);
    decoded[2] = float(two00.y);
    decoded[3] = float(two10.y);
    decoded[4] = float(two40.x);
    decoded[5] = float(two50.x);
    decoded[6] = float(two40.y);
    decoded[7] = float(two50.y);

    multiply_group(4u * block + step, thread);

    // sums += scale * sums_of_group
    sums = fma(scale00, sums_of_group, sums);
    float scale01 = scales_of_block;
    uint codes10 = codes_of_block[2u * step];
    uint codes11 = codes_of_block[2u * step + 1u];
    f16vec2 two01 = unpackFloat2x16(((codes10 >> 4u) & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));
    f16vec2 two11 = unpackFloat2x16(((codes10 >> 12u) & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));
    f16vec2 two41 = unpackFloat2x16(((codes11 >> 4u) & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));
    f16vec2 two51 = unpackFloat2x16(((codes11 >> 12u) & 0xf000fu) | 0x64006400u) - f16vec2(float16_t(1032.0));

    // decoded <- code - 8
    decoded[0] = float(two01.x);
    decoded[1] = float(two11.x);
    decoded[2] = float(two01.y);
    decoded[3] = float(two11.y);
    decoded[4] = float(two41.x);
    decoded[5] = float(two51.x);
    decoded[6] = float(two41.y);
    decoded[7] = float(two51.y);

    multiply_group(4u * block + step + 2u, thread);

    // sums += scale * sums_of_group
    sums = fma(scale01, sums_of_group, sums);
  }
}

void main() {
  uint words_of_thread[9];  // (9,1):(1,9)
  float16_t result;
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  sums = 0.0;

  if (alpha != 0.0 && k != 0u && words != 0u) {
    fetch(0u, block_x, block_y, thread);
    for (uint k_tile = 0u; k_tile < ((k - 1u) >> 10u) + 1u; ++k_tile) {  // ceil(k / 1024)
      barrier();

      // the next tile of A:
      // copy next_a
      //   to partition(transpose(shared_a), (512,1))
      {
        uint shared_a_at = (thread & 15u) + 17u * (thread >> 4u);
        [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
          shared_a[shared_a_at + 136u * v1] = vec4(float(next_a[4u * v1]), float(next_a[4u * v1 + 1u]),
              float(next_a[4u * v1 + 2u]), float(next_a[4u * v1 + 3u]));
        }
      }

      barrier();

      // words_of_thread <- the blocks of weights, as words of 32 bits
      [[unroll]] for (uint access = 0u; access < 9u; ++access) {
        words_of_thread[access] = pack32(next_weights[access]);
      }

      fetch(k_tile + 1u, block_x, block_y, thread);
      // the codes of a block, and its scale
      {
        uint word_of_scale = words_of_thread[0];
        scales_of_block = unpackHalf2x16(word_of_scale).x;
        [[unroll]] for (uint word = 0u; word < 4u; ++word) {
          uint word_of_codes = words_of_thread[word];
          uint next_word = words_of_thread[min(word + 1u, 8u)];
          codes_of_block[word] = (word_of_codes >> 16u) | (next_word << 16u);
        }
      }

      multiply_block(0u, thread);

      // the codes of a block, and its scale
      {
        uint word_of_scale = words_of_thread[4];
        scales_of_block = unpackHalf2x16(word_of_scale).y;
        [[unroll]] for (uint word = 0u; word < 4u; ++word) {
          codes_of_block[word] = words_of_thread[word + 5u];
        }
      }

      multiply_block(1u, thread);
    }
  }

  // sums <- sum over lanes ^ 1, then ^ 2, then ^ 4, then ^ 8
  {
    float other1 = subgroupShuffleXor(sums, 1u);
    float combined1 = sums + other1;
    float other2 = subgroupShuffleXor(combined1, 2u);
    float combined2 = combined1 + other2;
    float other4 = subgroupShuffleXor(combined2, 4u);
    float combined4 = combined2 + other4;
    float other8 = subgroupShuffleXor(combined4, 8u);
    sums = combined4 + other8;
  }

  if ((thread & 15u) == 0u) {
    // result <- alpha * sums
    result = float16_t(alpha * sums);

    // copy result
    //   to partition(tile(c, (8,1)), (8,1)) at (8 block_x, block_y)
    {
      uint c_n = 8u * block_x + (thread >> 4u);
      if (c_n < n && block_y < m) {
        c[c_n + ldc * block_y] = result;
      }
    }
  }
}
