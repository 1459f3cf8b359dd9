// generated: relayout  type=u8  src=(3,8192):(1,3)  dst=(3,8192):(8192,1)  tile=3x4096  shared=(12288):(1)
// one tensor is accessed in contiguous runs that include its small modes, the other mode by mode
// vkmoye 0.1.0: vkmoye-bench emit relayout --type u8 --size 128x64x3 --permute 2,0,1
#version 460
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src_x16 { uvec4 src_x16[]; };  // (24576)
layout(std430, binding = 1) writeonly restrict buffer Dst_x16 { uvec4 dst_x16[]; };  // (8192,3)
layout(push_constant) uniform Arguments { uint first_group_x, first_group_y; };

shared uvec4 tile[768];  // (12288):(1), in u8

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(tile(src, (12288)), (12288))
  //   to partition(tile, (12288))
  {
    uvec4 value0 = src_x16[768u * (block_x & 1u) + thread];
    uvec4 value1 = src_x16[768u * (block_x & 1u) + thread + 256u];
    uvec4 value2 = src_x16[768u * (block_x & 1u) + thread + 512u];
    tile[thread] = value0;
    tile[thread + 256u] = value1;
    tile[thread + 512u] = value2;
  }

  barrier();

  // copy partition(tile, (12288))
  //   to partition(composition(tile(dst, (4096,3)), ((3,4096)):((4096,1))), (12288))
  {
    uint tile_at = 3u * thread;
    uvec4 value0 = tile[tile_at];
    uvec4 value1 = tile[tile_at + 1u];
    uvec4 value2 = tile[tile_at + 2u];
    dst_x16[256u * (block_x & 1u) + thread] = uvec4(
        pack32(
          u8vec4(unpack8(value0.x)[0], unpack8(value0.x)[3], unpack8(value0.y)[2], unpack8(value0.z)[1])),
        pack32(
          u8vec4(unpack8(value0.w)[0], unpack8(value0.w)[3], unpack8(value1.x)[2], unpack8(value1.y)[1])),
        pack32(
          u8vec4(unpack8(value1.z)[0], unpack8(value1.z)[3], unpack8(value1.w)[2], unpack8(value2.x)[1])),
        pack32(
          u8vec4(unpack8(value2.y)[0], unpack8(value2.y)[3], unpack8(value2.z)[2], unpack8(value2.w)[1])));
    dst_x16[256u * (block_x & 1u) + thread + 512u] = uvec4(
        pack32(
          u8vec4(unpack8(value0.x)[1], unpack8(value0.y)[0], unpack8(value0.y)[3], unpack8(value0.z)[2])),
        pack32(
          u8vec4(unpack8(value0.w)[1], unpack8(value1.x)[0], unpack8(value1.x)[3], unpack8(value1.y)[2])),
        pack32(
          u8vec4(unpack8(value1.z)[1], unpack8(value1.w)[0], unpack8(value1.w)[3], unpack8(value2.x)[2])),
        pack32(
          u8vec4(unpack8(value2.y)[1], unpack8(value2.z)[0], unpack8(value2.z)[3], unpack8(value2.w)[2])));
    dst_x16[256u * (block_x & 1u) + thread + 1024u] = uvec4(
        pack32(
          u8vec4(unpack8(value0.x)[2], unpack8(value0.y)[1], unpack8(value0.z)[0], unpack8(value0.z)[3])),
        pack32(
          u8vec4(unpack8(value0.w)[2], unpack8(value1.x)[1], unpack8(value1.y)[0], unpack8(value1.y)[3])),
        pack32(
          u8vec4(unpack8(value1.z)[2], unpack8(value1.w)[1], unpack8(value2.x)[0], unpack8(value2.x)[3])),
        pack32(
          u8vec4(unpack8(value2.y)[2], unpack8(value2.z)[1], unpack8(value2.w)[0], unpack8(value2.w)[3])));
  }
}
