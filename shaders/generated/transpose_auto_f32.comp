// generated: transpose/auto  type=f32  tile=64x32  threads=256  vector=8x16  edge-parts=1  order=dst
// blocks transposed in registers, wide accesses on both sides; ragged tiles in sectors of dst
// vkmoye 0.1.0: vkmoye-bench emit transpose/auto --type f32
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x2 { vec2 src_x2[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float dst[]; };  // (rows,cols)
layout(std430, binding = 1) writeonly buffer Dst_x4 { vec4 dst_x4[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared vec4 tile[512];  // Swizzle<4,2,5> o 0 o (32,64):(64,1), in f32

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  if (32u * block_y + 31u < cols && 64u * block_x + 63u < rows && (cols & 1u) == 0u && (rows & 7u) == 0u) {
    // a whole tile, rows aligned

    // copy partition(tile(src, (32,64)), (32,64)) at (32 block_y, 64 block_x)
    //   to partition(tile, (32,64))
    {
      uint src_row = 64u * block_x + 4u * (thread >> 4u);
      vec2 value0 = src_x2[16u * block_y + (thread & 15u) + ((cols * src_row) >> 1u)];
      vec2 value1 = src_x2[16u * block_y + (thread & 15u) + ((cols * (src_row + 1u)) >> 1u)];
      vec2 value2 = src_x2[16u * block_y + (thread & 15u) + ((cols * (src_row + 2u)) >> 1u)];
      vec2 value3 = src_x2[16u * block_y + (thread & 15u) + ((cols * (src_row + 3u)) >> 1u)];
      uint tile_at = 32u * (thread & 15u) + (thread >> 4u);
      tile[tile_at ^ ((tile_at & 0x1e0u) >> 5u)] = vec4(value0.x, value1.x, value2.x, value3.x);
      uint tile_linear = tile_at + 16u;
      tile[tile_linear ^ ((tile_linear & 0x1e0u) >> 5u)] = vec4(value0.y, value1.y, value2.y, value3.y);
    }

    barrier();

    // copy partition(transpose(tile), (64,16))
    //   to partition(tile(dst, (64,32)), (64,16)) at (64 block_x, 32 block_y)
    {
      vec4 value0 = tile[thread ^ ((thread & 0x1e0u) >> 5u)];
      uint tile_linear = thread + 256u;
      vec4 value1 = tile[tile_linear ^ ((tile_linear & 0x1e0u) >> 5u)];
      uint dst_col = 32u * block_y + (thread >> 4u);
      dst_x4[16u * block_x + (thread & 15u) + ((rows * dst_col) >> 2u)] = value0;
      dst_x4[16u * block_x + (thread & 15u) + ((rows * (dst_col + 16u)) >> 2u)] = value1;
    }
  } else if (32u * block_y + 31u < cols && 8u < rows && (cols & 1u) == 0u && (rows & 7u) == 0u) {
    // columns inside, rows aligned: only blocks of rows inside are moved
    if (64u * block_x + 4u * (thread >> 4u) < rows) {
      // copy partition(tile(src, (32,64)), (32,64)) at (32 block_y, 64 block_x)
      //   to partition(tile, (32,64))
      uint src_row = 64u * block_x + 4u * (thread >> 4u);
      vec2 value0 = src_x2[16u * block_y + (thread & 15u) + ((cols * src_row) >> 1u)];
      vec2 value1 = src_x2[16u * block_y + (thread & 15u) + ((cols * (src_row + 1u)) >> 1u)];
      vec2 value2 = src_x2[16u * block_y + (thread & 15u) + ((cols * (src_row + 2u)) >> 1u)];
      vec2 value3 = src_x2[16u * block_y + (thread & 15u) + ((cols * (src_row + 3u)) >> 1u)];
      uint tile_at = 32u * (thread & 15u) + (thread >> 4u);
      tile[tile_at ^ ((tile_at & 0x1e0u) >> 5u)] = vec4(value0.x, value1.x, value2.x, value3.x);
      uint tile_linear = tile_at + 16u;
      tile[tile_linear ^ ((tile_linear & 0x1e0u) >> 5u)] = vec4(value0.y, value1.y, value2.y, value3.y);
    }

    barrier();
    if (64u * block_x + 4u * (thread & 15u) < rows) {
      // copy partition(transpose(tile), (64,16))
      //   to partition(tile(dst, (64,32)), (64,16)) at (64 block_x, 32 block_y)
      vec4 value0 = tile[thread ^ ((thread & 0x1e0u) >> 5u)];
      uint tile_linear = thread + 256u;
      vec4 value1 = tile[tile_linear ^ ((tile_linear & 0x1e0u) >> 5u)];
      uint dst_col = 32u * block_y + (thread >> 4u);
      dst_x4[16u * block_x + (thread & 15u) + ((rows * dst_col) >> 2u)] = value0;
      dst_x4[16u * block_x + (thread & 15u) + ((rows * (dst_col + 16u)) >> 2u)] = value1;
    }
  } else if (32u * block_y < cols && 64u * block_x < rows) {
    if (rows <= 16u) {
      // at most 16 rows, element by element
      uint src_col = 32u * block_y + (thread & 31u);
      uint src_row0 = 64u * block_x + (thread >> 5u);
      if (src_col < cols) {
        for (uint v1 = 0u; v1 < 2u; ++v1) {
          uint src_row = src_row0 + 8u * v1;
          if (src_row < rows) {
            dst[src_row + rows * src_col] = src[src_col + cols * src_row];
          }
        }
      }
    } else if (cols <= 4u) {
      // at most 4 columns, element by element
      uint src_col = 32u * block_y + (thread >> 6u);
      uint src_row = 64u * block_x + (thread & 63u);
      if (src_col < cols && src_row < rows) {
        dst[src_row + rows * src_col] = src[src_col + cols * src_row];
      }
    } else if (0u < cols * rows) {
      // a ragged tile, stored in whole sectors of dst

      // copy src to tile: of each column, the rows from the first sector of dst on
      for (uint pass = 0u; pass < 8u; ++pass) {
        uint x = thread & 31u;
        uint slot = (thread >> 5u) + 8u * pass;
        uint head = (0u - (32u * block_y + x) * rows) & 7u;
        uint y = slot + ((slot < head) ? 64u : 0u);
        uint place = (64u * block_x + y) * cols + 32u * block_y + x;
        uint tile_linear = 64u * x + slot;
        uint tile_at = tile_linear ^ ((tile_linear & 0x7c0u) >> 6u);
        tile[tile_at >> 2u][tile_at & 3u] = src[min(place, cols * rows - 1u)];
      }

      barrier();

      // copy tile to dst: whole sectors of each column
      for (uint pass = 0u; pass < 8u; ++pass) {
        uint y = thread & 63u;
        uint x = (thread >> 6u) + 4u * pass;
        uint col = 32u * block_y + x;
        uint head = (0u - col * rows) & 7u;
        uint row = 64u * block_x + head + y;
        if (col < cols && row < rows) {
          uint tile_linear = 64u * x + ((head + y) & 63u);
          uint tile_at = tile_linear ^ ((tile_linear & 0x7c0u) >> 6u);
          dst[row + rows * col] = tile[tile_at >> 2u][tile_at & 3u];
        }
      }

      if (block_x == 0u) {
        // the rows before the first sector of each column, element by element
        uint x = thread & 31u;
        uint y = thread >> 5u;
        uint col = 32u * block_y + x;
        uint head = (0u - col * rows) & 7u;
        if (y < head && col < cols && y < rows) {
          dst[y + rows * col] = src[col + cols * y];
        }
      }
    }
  }
}
