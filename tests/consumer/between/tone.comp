#version 460
// Another pass of the engine's: image = 2 * C + 1.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer C { float c[]; };
layout(binding = 1) writeonly buffer Image { float image[]; };
layout(push_constant) uniform Arguments { uint m, n, k; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < m * n) image[i] = 2.0 * c[i] + 1.0;
}
