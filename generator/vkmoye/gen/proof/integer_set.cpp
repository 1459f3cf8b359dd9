// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/integer_set.hpp"

#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <isl/version.h>

#include <cctype>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

namespace vkmoye::gen::proof {
namespace {

bool decided(isl_bool answer) {
  if (answer == isl_bool_error) throw GaveUp{};
  return answer == isl_bool_true;
}

// Whole numbers of 64 bits. isl's own conversions are from and to long, which has 32 bits on Windows.
isl_val* value_of(isl_ctx* context, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t magnitude = number < 0 ? 0 - bits : bits;
  isl_val* value = isl_val_int_from_chunks(context, 1, sizeof magnitude, &magnitude);
  return number < 0 ? isl_val_neg(value) : value;
}

// 0 for a number that does not fit, as isl's own conversion.
std::int64_t number_of(isl_val* value) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t magnitude = 0;
  if (isl_val_n_abs_num_chunks(value, sizeof magnitude) != 1 ||
      isl_val_get_abs_num_chunks(value, sizeof magnitude, &magnitude) != isl_stat_ok ||
      magnitude > kMax) {
    return 0;
  }
  const auto number = static_cast<std::int64_t>(magnitude);
  return isl_val_sgn(value) < 0 ? -number : number;
}

}  // namespace

Set::Set(isl_set* set) : set_(set) {
  if (set == nullptr) throw GaveUp{};
}
Set::Set(const Set& other) : set_(other.copy()) {}
Set::~Set() { isl_set_free(set_); }
isl_set* Set::copy() const { return isl_set_copy(set_); }

Set operator&(const Set& a, const Set& b) { return Set(isl_set_intersect(a.copy(), b.copy())); }
Set operator|(const Set& a, const Set& b) { return Set(isl_set_union(a.copy(), b.copy())); }
Set operator-(const Set& a, const Set& b) { return Set(isl_set_subtract(a.copy(), b.copy())); }
Set Set::simplified() const { return Set(isl_set_coalesce(isl_set_detect_equalities(copy()))); }
Set Set::affine_hull() const { return Set(isl_set_from_basic_set(isl_set_affine_hull(copy()))); }
Set Set::complement() const { return Set(isl_set_complement(copy())); }
bool Set::is_empty() const { return decided(isl_set_is_empty(set_)); }
bool Set::is_subset_of(const Set& other) const {
  return decided(isl_set_is_subset(set_, other.set_));
}

Set Set::project_out(const std::vector<std::string>& names) const {
  isl_set* set = copy();
  for (const std::string& name : names) {
    const int at = isl_set_find_dim_by_name(set, isl_dim_param, name.c_str());
    if (at >= 0) set = isl_set_project_out(set, isl_dim_param, static_cast<unsigned>(at), 1);
  }
  return Set(set);
}

Set Set::renamed(const std::map<std::string, std::string>& names) const {
  isl_set* set = copy();
  const int count = isl_set_dim(set, isl_dim_param);
  for (int i = 0; i < count; ++i) {
    const char* name = isl_set_get_dim_name(set, isl_dim_param, static_cast<unsigned>(i));
    if (name == nullptr) {
      isl_set_free(set);
      throw GaveUp{};
    }
    const auto found = names.find(name);
    if (found == names.end()) continue;
    isl_id* id = isl_id_alloc(isl_set_get_ctx(set), found->second.c_str(), nullptr);
    set = isl_set_set_dim_id(set, isl_dim_param, static_cast<unsigned>(i), id);
  }
  return Set(set);
}

std::vector<std::string> Set::variables() const {
  std::vector<std::string> names;
  const int count = isl_set_dim(set_, isl_dim_param);
  for (int i = 0; i < count; ++i) {
    const char* name = isl_set_get_dim_name(set_, isl_dim_param, static_cast<unsigned>(i));
    if (name == nullptr) throw GaveUp{};
    names.emplace_back(name);
  }
  return names;
}

int Set::pieces() const { return isl_set_n_basic_set(set_); }

std::optional<Point> Set::sample() const {
  isl_point* point = isl_set_sample_point(copy());
  if (point == nullptr) throw GaveUp{};
  std::optional<Point> out;
  if (isl_point_is_void(point) != isl_bool_true) {
    out.emplace();
    const std::vector<std::string> names = variables();
    for (std::size_t i = 0; i < names.size(); ++i) {
      isl_val* value = isl_point_get_coordinate_val(point, isl_dim_param, static_cast<int>(i));
      out->emplace(names[i], value == nullptr ? 0 : number_of(value));
      isl_val_free(value);
    }
  }
  isl_point_free(point);
  return out;
}

std::string Set::text() const {
  char* text = isl_set_to_str(set_);
  std::string out = text == nullptr ? "" : text;
  std::free(text);
  return out;
}

Solver::Solver(unsigned long max_steps) : context_(isl_ctx_alloc(), isl_ctx_free) {
  isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context_.get(), max_steps);
}
Set Solver::constrained(const Factors& factors, std::int64_t constant, bool is_equality) const {
  isl_ctx* context = context_.get();
  isl_space* space = isl_space_params_alloc(context, static_cast<unsigned>(factors.size()));
  unsigned at = 0;
  for (const auto& [name, factor] : factors) {
    space = isl_space_set_dim_id(space, isl_dim_param, at++,
                                 isl_id_alloc(context, name.c_str(), nullptr));
  }
  isl_local_space* local = isl_local_space_from_space(isl_space_copy(space));
  isl_constraint* constraint =
      is_equality ? isl_constraint_alloc_equality(local) : isl_constraint_alloc_inequality(local);
  constraint = isl_constraint_set_constant_val(constraint, value_of(context, constant));
  int number = 0;
  for (const auto& [name, factor] : factors) {
    constraint = isl_constraint_set_coefficient_val(constraint, isl_dim_param, number++,
                                                    value_of(context, factor));
  }
  return Set(isl_set_add_constraint(isl_set_universe(space), constraint));
}
Set Solver::not_negative(const Factors& factors, std::int64_t constant) const {
  return constrained(factors, constant, /*is_equality=*/false);
}
Set Solver::zero(const Factors& factors, std::int64_t constant) const {
  return constrained(factors, constant, /*is_equality=*/true);
}
Set Solver::everything() const {
  return Set(isl_set_universe(isl_space_params_alloc(context_.get(), 0)));
}

std::string version_of_isl() {
  std::string version;  // of "isl-0.25-GMP\n"
  for (const char c : std::string_view(isl_version()).substr(4)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-') version += c;
  }
  return version;
}

}  // namespace vkmoye::gen::proof
