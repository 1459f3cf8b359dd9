// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/form.hpp"

#include <fmt/format.h>

#include <string>

#include "vkmoye/base/error.hpp"

namespace vkmoye::gen {
namespace {

ElementsForm of_elements(const ElementsForm& form, ElementsForm*) { return form; }
GemmProduct of_elements(const ElementsForm& form, GemmProduct*) {
  return {gemm_form(form.type), form.shape};
}
TypedAttention of_elements(const ElementsForm& form, TypedAttention*) { return {{}, form.type}; }

constexpr const char* kKinds[] = {"arrays of elements", "a product", "attention"};

}  // namespace

ScalarType type_of(const Form& form) {
  if (const auto* product = std::get_if<GemmProduct>(&form)) return multiplied_type(*product);
  if (const auto* attention = std::get_if<TypedAttention>(&form)) return attention->type;
  return std::get<ElementsForm>(form).type;
}

template <class Kind>
Kind form_of_kind(const Form& form, const std::string& subject) {
  if (const auto* own = std::get_if<Kind>(&form)) return *own;
  if (const auto* elements = std::get_if<ElementsForm>(&form)) {
    return of_elements(*elements, static_cast<Kind*>(nullptr));
  }
  throw KernelError(subject, {fmt::format("the form is that of {}, the kernel computes {}",
                                          kKinds[form.index()], kKinds[Form(Kind()).index()])});
}

template ElementsForm form_of_kind<ElementsForm>(const Form&, const std::string&);
template GemmProduct form_of_kind<GemmProduct>(const Form&, const std::string&);
template TypedAttention form_of_kind<TypedAttention>(const Form&, const std::string&);

}  // namespace vkmoye::gen
