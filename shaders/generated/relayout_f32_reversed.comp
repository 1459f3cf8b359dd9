// generated: relayout  type=f32  src=(128,64,32):(1,128,8192)  dst=(128,64,32):(2048,32,1)  tile=32x2x64
//   shared=Swizzle<3,2,6> o 0 o (32,2,64):(1,32,64)
// runs along src on one side of a shared tile, along dst on the other
// vkmoye 0.1.0: vkmoye-bench emit relayout --type f32 --permute 2,1,0
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src_x4 { vec4 src_x4[]; };  // (128,64,32)
layout(std430, binding = 1) writeonly restrict buffer Dst_x4 { vec4 dst_x4[]; };  // (32,64,128)
layout(push_constant) uniform Arguments { uint first_group_x, first_group_y; };

shared vec4 tile[1024];  // Swizzle<3,2,6> o 0 o (32,2,64):(1,32,64), in f32

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(composition(tile(src, (64,2,32)), (32,2,64):(128,64,1)), (32,2,64))
  //   to partition(tile, (32,2,64))
  {
    uint src_i1 = 2u * (block_x & 31u) + ((thread >> 4u) & 1u);
    uint src_i0 = 4u * (thread >> 5u);
    vec4 value0 = src_x4[16u * ((block_x >> 5u) & 1u) + (thread & 15u) + 32u * src_i1 + 2048u * src_i0];
    vec4 value1 =
        src_x4[16u * ((block_x >> 5u) & 1u) + (thread & 15u) + 32u * src_i1 + 2048u * (src_i0 + 1u)];
    vec4 value2 =
        src_x4[16u * ((block_x >> 5u) & 1u) + (thread & 15u) + 32u * src_i1 + 2048u * (src_i0 + 2u)];
    vec4 value3 =
        src_x4[16u * ((block_x >> 5u) & 1u) + (thread & 15u) + 32u * src_i1 + 2048u * (src_i0 + 3u)];
    uint tile_at = 64u * (thread & 15u) + 8u * ((thread >> 4u) & 1u) + (thread >> 5u);
    tile[tile_at ^ ((tile_at & 0x1c0u) >> 6u)] = vec4(value0.x, value1.x, value2.x, value3.x);
    uint tile_linear = tile_at + 16u;
    tile[tile_linear ^ ((tile_linear & 0x1c0u) >> 6u)] = vec4(value0.y, value1.y, value2.y, value3.y);
    uint tile_linear2 = tile_at + 32u;
    tile[tile_linear2 ^ ((tile_linear2 & 0x1c0u) >> 6u)] = vec4(value0.z, value1.z, value2.z, value3.z);
    uint tile_linear3 = tile_at + 48u;
    tile[tile_linear3 ^ ((tile_linear3 & 0x1c0u) >> 6u)] = vec4(value0.w, value1.w, value2.w, value3.w);
  }

  barrier();

  // copy partition(tile, (32,2,64))
  //   to partition(tile(dst, (32,2,64)), (32,2,64))
  {
    vec4 value0 = tile[thread ^ ((thread & 0x1c0u) >> 6u)];
    uint tile_linear = thread + 256u;
    vec4 value1 = tile[tile_linear ^ ((tile_linear & 0x1c0u) >> 6u)];
    uint tile_linear2 = thread + 512u;
    vec4 value2 = tile[tile_linear2 ^ ((tile_linear2 & 0x1c0u) >> 6u)];
    uint tile_linear3 = thread + 768u;
    vec4 value3 = tile[tile_linear3 ^ ((tile_linear3 & 0x1c0u) >> 6u)];
    uint dst_i1 = 2u * (block_x & 31u) + ((thread >> 3u) & 1u);
    uint dst_i2 = 64u * ((block_x >> 5u) & 1u) + (thread >> 4u);
    dst_x4[(thread & 7u) + 8u * dst_i1 + 512u * dst_i2] = value0;
    dst_x4[(thread & 7u) + 8u * dst_i1 + 512u * (dst_i2 + 16u)] = value1;
    dst_x4[(thread & 7u) + 8u * dst_i1 + 512u * (dst_i2 + 32u)] = value2;
    dst_x4[(thread & 7u) + 8u * dst_i1 + 512u * (dst_i2 + 48u)] = value3;
  }
}
