#version 460
// A pass of the engine's: A(m,k) = (m + k) % 5 and B(n,k) = (n + 2 * k) % 7.
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
layout(push_constant) uniform Arguments { uint m, n, k; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < m * k) a[i] = float((i / k + i % k) % 5u);
  if (i < n * k) b[i] = float((i / k + 2u * (i % k)) % 7u);
}
