// SPDX-License-Identifier: MIT
#pragma once
// What is computed, as far as the text of a kernel depends on it: the types, and what is baked.
//
//   ElementsForm(f16, {{64, 1000}})     rows, copies, transposes, relayouts, kernels of users
//   GemmProduct(gemm_form(f16))         products
//   TypedAttention{{..}, f16}           attention

#include <cstdint>
#include <optional>
#include <variant>

#include "vkmoye/contract/extents.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// Arrays of elements.
struct ElementsForm {
  /// Arrays of elements of type `of`, of any size unless `extents` are given; `converted_to`: the type of the result.
  ElementsForm(ScalarType of = ScalarType::f32,  // NOLINT: a type alone is a form
               std::optional<Extents> extents = {}, std::optional<ScalarType> converted_to = {})
      : type(of), shape(std::move(extents)), result(converted_to) {}

  ScalarType type;
  /// The shape of the first array, for kernels that are made for one shape or fitted to it. nullopt: an example, or any
  /// shape. {} is the shape of a single number.
  std::optional<Extents> shape;
  std::optional<ScalarType> result;  // the type of the result, where it is another one
  /// The size of the largest array; 0: unknown. Arrays too large for a descriptor are reached by pointers.
  std::uint64_t elements = 0;
};

/// Attention whose q and o have elements of `type`.
struct TypedAttention : AttentionCall {
  ScalarType type = ScalarType::f32;
};

using Form = std::variant<ElementsForm, GemmProduct, TypedAttention>;

/// The type by which kernels are found: that of the elements, of the matrix units of a product, of the queries.
ScalarType type_of(const Form& form);

/// The form of a product or of attention for elements of one type: those of gemm_form(type), of one query and key.
/// A form of its own kind is kept. Throws KernelError for another kind, about `subject`.
template <class Kind>
Kind form_of_kind(const Form& form, const std::string& subject);

}  // namespace vkmoye::gen
