// generated: relayout  type=f32  src=(128,64,32):(1,128,8192)  dst=(128,64,32):(2048,32,1)  tile=16x1x16  pad=1
// runs along src on one side of a shared tile, along dst on the other
#version 460

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly restrict buffer Src_x4 { vec4 src_x4[]; };  // (128,64,32)
layout(std430, binding = 1) writeonly restrict buffer Dst_x4 { vec4 dst_x4[]; };  // (32,64,128)
layout(push_constant) uniform Arguments { uint first_group_x, first_group_y; };

shared float tile[271];  // (16,1,16):(17,17,1)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // partition(permute(tile(src, (16,1,16)), (2,1,0)), (16,1,16))
  // -> partition(tile, (16,1,16))
  {
    uint src_i1 = (block_x >> 1u) & 63u;
    uint src_i0 = 16u * (block_x & 1u) + (thread >> 2u);
    vec4 value = src_x4[4u * ((block_x >> 7u) & 7u) + (thread & 3u) + 32u * src_i1 + 2048u * src_i0];
    uint tile_at = 4u * (thread & 3u) + 17u * (thread >> 2u);
    tile[tile_at] = value.x;
    tile[tile_at + 1u] = value.y;
    tile[tile_at + 2u] = value.z;
    tile[tile_at + 3u] = value.w;
  }

  barrier();

  // partition(tile, (16,1,16))
  // -> partition(tile(dst, (16,1,16)), (16,1,16))
  {
    uint tile_at = 68u * (thread & 3u) + (thread >> 2u);
    float value0 = tile[tile_at];
    float value1 = tile[tile_at + 17u];
    float value2 = tile[tile_at + 34u];
    float value3 = tile[tile_at + 51u];
    uint dst_i1 = (block_x >> 1u) & 63u;
    uint dst_i2 = 16u * ((block_x >> 7u) & 7u) + (thread >> 2u);
    dst_x4[4u * (block_x & 1u) + (thread & 3u) + 8u * dst_i1 + 512u * dst_i2] = vec4(value0, value1, value2, value3);
  }
}
