// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/unverified.hpp"

namespace vkmoye::gen {
namespace {

thread_local int scopes = 0;
thread_local std::int64_t kernels_begun = 0;

}  // namespace

UnverifiedDescriptions::UnverifiedDescriptions() : before_(kernels_begun) { ++scopes; }
UnverifiedDescriptions::~UnverifiedDescriptions() { --scopes; }
std::int64_t UnverifiedDescriptions::begun() const { return kernels_begun - before_; }

void detail::begin_description() { ++kernels_begun; }
bool detail::verifies_descriptions() { return scopes == 0; }

}  // namespace vkmoye::gen
