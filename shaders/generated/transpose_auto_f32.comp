// generated: transpose/auto  type=f32  tile=32x32  threads=256  vector=16x16  lanes=8x8  pad=1  strip=8
// wide accesses along the rows of src and of dst, words between in padded shared memory
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x4 { vec4 src_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float dst[]; };  // (rows,cols)
layout(std430, binding = 1) writeonly buffer Dst_x4 { vec4 dst_x4[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y, first_group_z; };

shared float tile[1055];  // (32,32):(1,33)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint block_z = gl_WorkGroupID.z + first_group_z;
  uint thread = gl_LocalInvocationIndex;
  if (32u * block_y + 31u < cols && 32u * (8u * block_z + block_x) + 31u < rows && (cols & 3u) == 0u && (rows & 3u) == 0u) {

    // partition(tile(src, (32,32)), (32,32))
    // -> partition(tile, (32,32))
    {
      uint src_row = 32u * (8u * block_z + block_x) + (thread >> 3u);
      vec4 value = src_x4[8u * block_y + (thread & 7u) + ((cols * src_row) >> 2u)];
      uint tile_at = 4u * (thread & 7u) + 33u * (thread >> 3u);
      tile[tile_at] = value.x;
      tile[tile_at + 1u] = value.y;
      tile[tile_at + 2u] = value.z;
      tile[tile_at + 3u] = value.w;
    }

    barrier();

    // partition(transpose(tile), (32,32))
    // -> partition(tile(dst, (32,32)), (32,32))
    {
      uint tile_at = 132u * (thread & 7u) + (thread >> 3u);
      float value0 = tile[tile_at];
      float value1 = tile[tile_at + 33u];
      float value2 = tile[tile_at + 66u];
      float value3 = tile[tile_at + 99u];
      uint dst_col = 32u * block_y + (thread >> 3u);
      dst_x4[8u * (8u * block_z + block_x) + (thread & 7u) + ((rows * dst_col) >> 2u)] = vec4(value0, value1, value2, value3);
    }
  } else {
    if (32u * block_y < cols && 32u * (8u * block_z + block_x) < rows) {
      if (8u < rows) {
        if (8u < cols) {

          // partition(tile(src, (32,32)), (32,8))
          // -> partition(tile, (32,8))
          {
            uint src_col = 32u * block_y + (thread & 31u);
            uint src_row = 32u * (8u * block_z + block_x) + (thread >> 5u);
            float value0 = src[min(src_col, cols - 1u) + cols * min(src_row, rows - 1u)];
            float value1 = src[min(src_col, cols - 1u) + cols * min(src_row + 8u, rows - 1u)];
            float value2 = src[min(src_col, cols - 1u) + cols * min(src_row + 16u, rows - 1u)];
            float value3 = src[min(src_col, cols - 1u) + cols * min(src_row + 24u, rows - 1u)];
            uint tile_at = (thread & 31u) + 33u * (thread >> 5u);
            tile[tile_at] = value0;
            tile[tile_at + 264u] = value1;
            tile[tile_at + 528u] = value2;
            tile[tile_at + 792u] = value3;
          }

          barrier();

          // partition(transpose(tile), (32,8))
          // -> partition(tile(dst, (32,32)), (32,8))
          {
            uint tile_at = 33u * (thread & 31u) + (thread >> 5u);
            float value0 = tile[tile_at];
            float value1 = tile[tile_at + 8u];
            float value2 = tile[tile_at + 16u];
            float value3 = tile[tile_at + 24u];
            uint dst_row = 32u * (8u * block_z + block_x) + (thread & 31u);
            uint dst_col = 32u * block_y + (thread >> 5u);
            if (dst_row < rows && dst_col < cols) {
              dst[dst_row + rows * dst_col] = value0;
            }
            if (dst_row < rows && dst_col + 8u < cols) {
              dst[dst_row + rows * (dst_col + 8u)] = value1;
            }
            if (dst_row < rows && dst_col + 16u < cols) {
              dst[dst_row + rows * (dst_col + 16u)] = value2;
            }
            if (dst_row < rows && dst_col + 24u < cols) {
              dst[dst_row + rows * (dst_col + 24u)] = value3;
            }
          }
        } else {

          // parallelize(tile(transpose(tile(src, (32,32))), (32,8)), (32,8):(1,32))
          // -> parallelize(tile(tile(dst, (32,32)), (32,8)), (32,8):(1,32))
          {
            uint src_col = 32u * block_y + (thread >> 5u);
            uint src_row = 32u * (8u * block_z + block_x) + (thread & 31u);
            uint dst_row = 32u * (8u * block_z + block_x) + (thread & 31u);
            uint dst_col = 32u * block_y + (thread >> 5u);
            if (src_col < cols && src_row < rows && dst_row < rows && dst_col < cols) {
              float value = src[src_col + cols * src_row];
              dst[dst_row + rows * dst_col] = value;
            }
          }
        }
      } else {

        // parallelize(tile(tile(src, (32,32)), (32,8)), (32,8):(1,32))
        // -> parallelize(tile(transpose(tile(dst, (32,32))), (32,8)), (32,8):(1,32))
        {
          uint src_col = 32u * block_y + (thread & 31u);
          uint src_row = 32u * (8u * block_z + block_x) + (thread >> 5u);
          uint dst_row = 32u * (8u * block_z + block_x) + (thread >> 5u);
          uint dst_col = 32u * block_y + (thread & 31u);
          if (src_col < cols && src_row < rows && dst_row < rows && dst_col < cols) {
            float value = src[src_col + cols * src_row];
            dst[dst_row + rows * dst_col] = value;
          }
        }
      }
    }
  }
}
