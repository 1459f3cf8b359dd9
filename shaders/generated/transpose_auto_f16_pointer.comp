// generated: transpose/auto  type=f16  tile=64x64  threads=256  vector=16x16  lanes=8x8  pad=1  strip=8  address=pointer
// wide accesses along the rows of src and of dst, words between in padded shared memory
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 256) in;

layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer Src { float16_t src; };  // (cols,rows), from src_address on
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Src_x8 { uvec4 src_x8; };  // (cols,rows), from src_address on
layout(buffer_reference, std430, buffer_reference_align = 2) writeonly buffer Dst { float16_t dst; };  // (rows,cols), from dst_address on
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Dst_x8 { uvec4 dst_x8; };  // (rows,cols), from dst_address on
layout(push_constant) uniform Arguments { uint64_t src_address, dst_address; uint cols, rows, first_group_x, first_group_y, first_group_z; };

shared f16vec2 tile[2079];  // (64,(2,32)):(2,(1,130))

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint block_z = gl_WorkGroupID.z + first_group_z;
  uint thread = gl_LocalInvocationIndex;
  if (64u * block_y + 63u < cols && 64u * (8u * block_z + block_x) + 63u < rows && (cols & 7u) == 0u && (rows & 7u) == 0u) {

    // partition(tile(src, (64,64)), (64,64))
    // -> partition(tile, (64,64))
    {
      uint src_row = 64u * (8u * block_z + block_x) + 2u * (thread >> 3u);
      uvec4 value0 = Src_x8(src_address + 2ul * (uint64_t(64u * block_y + 8u * (thread & 7u)) + uint64_t(cols) * uint64_t(src_row))).src_x8;
      uvec4 value1 = Src_x8(src_address + 2ul * (uint64_t(64u * block_y + 8u * (thread & 7u)) + uint64_t(cols) * uint64_t(src_row + 1u))).src_x8;
      uint tile_at = 16u * (thread & 7u) + 130u * (thread >> 3u);
      tile[tile_at >> 1u] = f16vec2(unpackFloat2x16(value0.x)[0], unpackFloat2x16(value1.x)[0]);
      tile[(tile_at >> 1u) + 1u] = f16vec2(unpackFloat2x16(value0.x)[1], unpackFloat2x16(value1.x)[1]);
      tile[(tile_at >> 1u) + 2u] = f16vec2(unpackFloat2x16(value0.y)[0], unpackFloat2x16(value1.y)[0]);
      tile[(tile_at >> 1u) + 3u] = f16vec2(unpackFloat2x16(value0.y)[1], unpackFloat2x16(value1.y)[1]);
      tile[(tile_at >> 1u) + 4u] = f16vec2(unpackFloat2x16(value0.z)[0], unpackFloat2x16(value1.z)[0]);
      tile[(tile_at >> 1u) + 5u] = f16vec2(unpackFloat2x16(value0.z)[1], unpackFloat2x16(value1.z)[1]);
      tile[(tile_at >> 1u) + 6u] = f16vec2(unpackFloat2x16(value0.w)[0], unpackFloat2x16(value1.w)[0]);
      tile[(tile_at >> 1u) + 7u] = f16vec2(unpackFloat2x16(value0.w)[1], unpackFloat2x16(value1.w)[1]);
    }

    barrier();

    // partition(transpose(tile), (64,32))
    // -> partition(tile(dst, (64,64)), (64,32))
    {
      uint tile_at = 520u * (thread & 7u) + 2u * (thread >> 3u);
      f16vec2 value0 = tile[tile_at >> 1u];
      f16vec2 value1 = tile[(tile_at >> 1u) + 32u];
      f16vec2 value2 = tile[(tile_at >> 1u) + 65u];
      f16vec2 value3 = tile[(tile_at >> 1u) + 97u];
      f16vec2 value4 = tile[(tile_at >> 1u) + 130u];
      f16vec2 value5 = tile[(tile_at >> 1u) + 162u];
      f16vec2 value6 = tile[(tile_at >> 1u) + 195u];
      f16vec2 value7 = tile[(tile_at >> 1u) + 227u];
      uint dst_col = 64u * block_y + (thread >> 3u);
      Dst_x8(dst_address + 2ul * (uint64_t(64u * (8u * block_z + block_x) + 8u * (thread & 7u)) + uint64_t(rows) * uint64_t(dst_col))).dst_x8 = uvec4(packFloat2x16(f16vec2(value0)), packFloat2x16(f16vec2(value2)), packFloat2x16(f16vec2(value4)), packFloat2x16(f16vec2(value6)));
      Dst_x8(dst_address + 2ul * (uint64_t(64u * (8u * block_z + block_x) + 8u * (thread & 7u)) + uint64_t(rows) * uint64_t(dst_col + 32u))).dst_x8 = uvec4(packFloat2x16(f16vec2(value1)), packFloat2x16(f16vec2(value3)), packFloat2x16(f16vec2(value5)), packFloat2x16(f16vec2(value7)));
    }
  } else {
    if (64u * block_y < cols && 64u * (8u * block_z + block_x) < rows) {
      if (8u < rows) {
        if (8u < cols) {

          // partition(tile(src, (64,64)), (32,16))
          // -> partition(tile, (32,16))
          {
            uint src_col = 64u * block_y + (thread & 31u);
            uint src_row = 64u * (8u * block_z + block_x) + 2u * (thread >> 5u);
            float16_t value0 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row, rows - 1u)))).src;
            float16_t value1 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row, rows - 1u)))).src;
            float16_t value2 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 1u, rows - 1u)))).src;
            float16_t value3 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 1u, rows - 1u)))).src;
            float16_t value4 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 16u, rows - 1u)))).src;
            float16_t value5 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 16u, rows - 1u)))).src;
            float16_t value6 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 17u, rows - 1u)))).src;
            float16_t value7 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 17u, rows - 1u)))).src;
            float16_t value8 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 32u, rows - 1u)))).src;
            float16_t value9 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 32u, rows - 1u)))).src;
            float16_t value10 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 33u, rows - 1u)))).src;
            float16_t value11 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 33u, rows - 1u)))).src;
            float16_t value12 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 48u, rows - 1u)))).src;
            float16_t value13 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 48u, rows - 1u)))).src;
            float16_t value14 = Src(src_address + 2ul * (uint64_t(min(src_col, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 49u, rows - 1u)))).src;
            float16_t value15 = Src(src_address + 2ul * (uint64_t(min(src_col + 32u, cols - 1u)) + uint64_t(cols) * uint64_t(min(src_row + 49u, rows - 1u)))).src;
            uint tile_at = 2u * (thread & 31u) + 130u * (thread >> 5u);
            tile[tile_at >> 1u] = f16vec2(value0, value2);
            tile[(tile_at >> 1u) + 32u] = f16vec2(value1, value3);
            tile[(tile_at >> 1u) + 520u] = f16vec2(value4, value6);
            tile[(tile_at >> 1u) + 552u] = f16vec2(value5, value7);
            tile[(tile_at >> 1u) + 1040u] = f16vec2(value8, value10);
            tile[(tile_at >> 1u) + 1072u] = f16vec2(value9, value11);
            tile[(tile_at >> 1u) + 1560u] = f16vec2(value12, value14);
            tile[(tile_at >> 1u) + 1592u] = f16vec2(value13, value15);
          }

          barrier();

          // partition(transpose(tile), (64,8))
          // -> partition(tile(dst, (64,64)), (64,8))
          {
            uint tile_at = 130u * (thread & 31u) + 2u * (thread >> 5u);
            f16vec2 value0 = tile[tile_at >> 1u];
            f16vec2 value1 = tile[(tile_at >> 1u) + 8u];
            f16vec2 value2 = tile[(tile_at >> 1u) + 16u];
            f16vec2 value3 = tile[(tile_at >> 1u) + 24u];
            f16vec2 value4 = tile[(tile_at >> 1u) + 32u];
            f16vec2 value5 = tile[(tile_at >> 1u) + 40u];
            f16vec2 value6 = tile[(tile_at >> 1u) + 48u];
            f16vec2 value7 = tile[(tile_at >> 1u) + 56u];
            uint dst_row = 64u * (8u * block_z + block_x) + 2u * (thread & 31u);
            uint dst_col = 64u * block_y + (thread >> 5u);
            if (dst_row < rows && dst_col < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col))).dst = value0.x;
            }
            if (dst_row + 1u < rows && dst_col < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col))).dst = value0.y;
            }
            if (dst_row < rows && dst_col + 8u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 8u))).dst = value1.x;
            }
            if (dst_row + 1u < rows && dst_col + 8u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 8u))).dst = value1.y;
            }
            if (dst_row < rows && dst_col + 16u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 16u))).dst = value2.x;
            }
            if (dst_row + 1u < rows && dst_col + 16u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 16u))).dst = value2.y;
            }
            if (dst_row < rows && dst_col + 24u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 24u))).dst = value3.x;
            }
            if (dst_row + 1u < rows && dst_col + 24u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 24u))).dst = value3.y;
            }
            if (dst_row < rows && dst_col + 32u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 32u))).dst = value4.x;
            }
            if (dst_row + 1u < rows && dst_col + 32u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 32u))).dst = value4.y;
            }
            if (dst_row < rows && dst_col + 40u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 40u))).dst = value5.x;
            }
            if (dst_row + 1u < rows && dst_col + 40u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 40u))).dst = value5.y;
            }
            if (dst_row < rows && dst_col + 48u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 48u))).dst = value6.x;
            }
            if (dst_row + 1u < rows && dst_col + 48u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 48u))).dst = value6.y;
            }
            if (dst_row < rows && dst_col + 56u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col + 56u))).dst = value7.x;
            }
            if (dst_row + 1u < rows && dst_col + 56u < cols) {
              Dst(dst_address + 2ul * (uint64_t(dst_row + 1u) + uint64_t(rows) * uint64_t(dst_col + 56u))).dst = value7.y;
            }
          }
        } else {

          // parallelize(tile(transpose(tile(src, (64,64))), (64,8)), (64,4):(1,64))
          // -> parallelize(tile(tile(dst, (64,64)), (64,8)), (64,4):(1,64))
          {
            uint src_col0 = 64u * block_y + (thread >> 6u);
            uint src_row = 64u * (8u * block_z + block_x) + (thread & 63u);
            uint dst_row = 64u * (8u * block_z + block_x) + (thread & 63u);
            uint dst_col0 = 64u * block_y + (thread >> 6u);
            if (src_row < rows && dst_row < rows) {
              for (uint v1 = 0u; v1 < 2u; ++v1) {
                uint src_col = src_col0 + 4u * v1;
                uint dst_col = dst_col0 + 4u * v1;
                if (src_col < cols && dst_col < cols) {
                  float16_t value = Src(src_address + 2ul * (uint64_t(src_col) + uint64_t(cols) * uint64_t(src_row))).src;
                  Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col))).dst = value;
                }
              }
            }
          }
        }
      } else {

        // parallelize(tile(tile(src, (64,64)), (64,8)), (64,4):(1,64))
        // -> parallelize(tile(transpose(tile(dst, (64,64))), (64,8)), (64,4):(1,64))
        {
          uint src_col = 64u * block_y + (thread & 63u);
          uint src_row0 = 64u * (8u * block_z + block_x) + (thread >> 6u);
          uint dst_row0 = 64u * (8u * block_z + block_x) + (thread >> 6u);
          uint dst_col = 64u * block_y + (thread & 63u);
          if (src_col < cols && dst_col < cols) {
            for (uint v1 = 0u; v1 < 2u; ++v1) {
              uint src_row = src_row0 + 4u * v1;
              uint dst_row = dst_row0 + 4u * v1;
              if (src_row < rows && dst_row < rows) {
                float16_t value = Src(src_address + 2ul * (uint64_t(src_col) + uint64_t(cols) * uint64_t(src_row))).src;
                Dst(dst_address + 2ul * (uint64_t(dst_row) + uint64_t(rows) * uint64_t(dst_col))).dst = value;
              }
            }
          }
        }
      }
    }
  }
}
