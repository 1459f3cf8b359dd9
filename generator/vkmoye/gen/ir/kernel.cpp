#include "vkmoye/gen/ir/kernel.hpp"

#include <algorithm>
#include <set>

namespace vkmoye::gen::ir {
namespace {

// What declaring an element type asks of the device, in a buffer and in shared memory or a
// variable.
struct TypeFeatures {
  ScalarType type;
  FeatureSet in_buffer;
  FeatureSet in_shader;
};

const TypeFeatures& features_of(ScalarType type) {
  static const TypeFeatures table[] = {
      {ScalarType::f16, {Feature::storage16}, {Feature::f16}},
      // No arithmetic on bf16, nor on what follows i16 but i32 and u32: they travel as words.
      {ScalarType::bf16, {Feature::storage16}, {Feature::i16}},
      {ScalarType::f32, {}, {}},
      {ScalarType::f64, {}, {Feature::f64}},
      {ScalarType::i8, {Feature::storage8}, {Feature::i8}},
      {ScalarType::u8, {Feature::storage8}, {Feature::i8}},
      {ScalarType::i16, {Feature::storage16}, {Feature::i16}},
      {ScalarType::u16, {Feature::storage16}, {Feature::i16}},
      {ScalarType::i32, {}, {}},
      {ScalarType::u32, {}, {}},
      {ScalarType::i64, {}, {}},
      {ScalarType::u64, {}, {}},
      {ScalarType::c64, {}, {}},
      {ScalarType::c128, {}, {}},
  };
  return *std::find_if(std::begin(table), std::end(table),
                       [&](const TypeFeatures& row) { return row.type == type; });
}

}  // namespace

Expr expression(const Extent& extent) {
  if (!extent.is_symbol()) return static_cast<std::uint32_t>(extent.value);
  const Expr first = variable(extent.symbol);
  return extent.times.empty() ? first : first * variable(extent.times);
}

std::int64_t Array::size() const {
  std::int64_t size = 1;
  for (const Axis& axis : axes) size *= axis.extent.value;
  return size;
}

const Array* Kernel::find(const std::string& wanted) const {
  for (const Array& array : arrays) {
    if (array.name == wanted) return &array;
  }
  return nullptr;
}

std::vector<const Body*> bodies_of(const Stmt& statement) {
  if (const auto* branch = std::get_if<If>(&statement.value)) {
    return {&branch->body, &branch->otherwise};
  }
  if (const auto* loop = std::get_if<For>(&statement.value)) return {&loop->body};
  if (const auto* block = std::get_if<Block>(&statement.value)) return {&block->body};
  return {};
}

namespace {

// Calls `visit(element)` for each element that a statement of `body` loads or stores.
template <class Visit>
void for_each_element(const Body& body, const Visit& visit) {
  for (const Stmt& statement : body) {
    if (const auto* load = std::get_if<Load>(&statement.value)) visit(load->from);
    if (const auto* store = std::get_if<Store>(&statement.value)) visit(store->to);
    for (const Body* inner : bodies_of(statement)) for_each_element(*inner, visit);
  }
}

}  // namespace

std::vector<std::uint32_t> Kernel::widths_of(const std::string& array) const {
  std::set<std::uint32_t> widths;
  for_each_element(body, [&](const Element& element) {
    if (element.array == array) widths.insert(element.width);
  });
  return {widths.begin(), widths.end()};
}

std::uint64_t Kernel::shared_bytes() const {
  std::uint64_t bytes = 0;
  for (const Array& array : arrays) {
    if (array.space == Array::Space::shared) {
      bytes += static_cast<std::uint64_t>(array.size()) * size_of(array.type);
    }
  }
  return bytes;
}

namespace {

// None where they are those of a compact array.
std::vector<Extent> strides_of(const Array& array) {
  std::vector<Extent> strides;
  bool compact = true;
  Expr running = 1;
  for (const Axis& axis : array.axes) {
    compact = compact && same(axis.stride, running);
    running = running * extent_of(axis);
    if (is_constant(axis.stride))
      strides.emplace_back(axis.stride->value);
    else
      strides.emplace_back(axis.stride->name);
  }
  return compact ? std::vector<Extent>{} : strides;
}

}  // namespace

KernelInterface interface_of(const Kernel& kernel) {
  KernelInterface out;
  out.name = kernel.name;
  out.push_constants = kernel.arguments;
  out.grid = kernel.grid;
  out.workgroup_size = {kernel.threads, 1, 1};
  out.shared_bytes = kernel.shared_bytes();
  for (const Array& array : kernel.arrays) {
    const TypeFeatures& needs = features_of(array.type);
    for (const Feature feature : needs.in_shader.list()) out.features.add(feature);
    if (array.space != Array::Space::buffer) continue;
    for (const Feature feature : needs.in_buffer.list()) out.features.add(feature);
    Binding binding{array.name, array.type, array.access, {}, strides_of(array), 1};
    for (const std::uint32_t width : kernel.widths_of(array.name)) {
      binding.alignment = width * static_cast<std::uint32_t>(size_of(array.type));
    }
    for (const Axis& axis : array.axes) binding.extents.push_back(axis.extent);
    out.bindings.push_back(std::move(binding));
  }
  return out;
}

}  // namespace vkmoye::gen::ir
