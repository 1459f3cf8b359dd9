// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "vkmoye/base/in_parallel.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/numbers/hard.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"
#include "vkmoye/gen/problems/problem.hpp"

namespace vkmoye::gen {
namespace {

bool holds_whole_numbers_only(ScalarType type) { return range_of(type).epsilon == 0; }

bool wants_integers(const GemmOptions& problem) {
  if (problem.init == Init::hard) return false;
  return problem.init == Init::integers || holds_whole_numbers_only(problem.a_type);
}

// Sums of products of integers up to this are exact in f64, from which the check takes them modulo 2^32.
constexpr double kMaxHardInteger = 0x1p20;

HardNumbers hard_numbers(ScalarType type) {
  HardNumbers numbers;
  numbers.type = type;
  if (range_of(type).epsilon == 0)
    numbers.largest = std::min(kMaxHardInteger, range_of(type).largest);
  return numbers;
}

// Whole operands whose sums are scaled to numbers that are rounded.
bool scales_integers(const GemmOptions& problem) {
  return holds_whole_numbers_only(problem.accumulator) && !holds_whole_numbers_only(problem.result);
}

// The largest operands whose sums do not wrap.
IntegerInputs inputs_to_scale(const GemmOptions& problem, std::int64_t k) {
  const double room = range_of(problem.accumulator).whole;
  auto max = static_cast<std::int64_t>(range_of(problem.a_type).whole);
  max = std::min<std::int64_t>(max, 127);
  while (max > 1 && static_cast<double>(k * max * max) > room) --max;
  return {max, 1};
}

// Chooses the inputs such that every partial sum, also times alpha plus beta * C and after each step of the epilogue,
// stays below the largest number up to which all whole numbers are exact.
IntegerInputs integer_inputs(const GemmOptions& problem, std::int64_t k) {
  const double alpha = std::fabs(problem.alpha), beta = std::fabs(problem.beta);
  if (alpha != std::trunc(alpha) || beta != std::trunc(beta)) return {};
  const double room = std::min(range_of(problem.accumulator).whole, range_of(problem.result).whole);
  for (const AppliedEpilogueOp& named : problem.epilogue) {
    if (named.number != std::trunc(named.number)) return {};
  }
  // The largest sum of `terms` products of numbers up to x.
  const auto largest = [&](double terms, double x) {
    double bound = std::max(1.0, alpha) * terms * x * x + beta * x;
    for (const AppliedEpilogueOp& named : problem.epilogue) {
      if (multiplies(*named.step)) {
        bound *= std::max(1.0, named.step->arguments.empty() ? x : std::fabs(named.number));
      } else {
        bound += x * static_cast<double>(named.step->inputs.size() + (named.step->reads_c ? 1 : 0));
      }
    }
    return bound;
  };
  // 8-bit operands use their whole range, which tests signs and carries.
  const ScalarType operand = multiplied_type(problem.a_type, problem.b_type);
  const bool is_small = size_of(operand) == 1;
  const auto first = is_small ? static_cast<std::int64_t>(range_of(operand).whole) : 4;
  for (std::int64_t max = first; max > 0; --max) {
    if (largest(static_cast<double>(k), static_cast<double>(max)) <= room) return {max, 1};
  }
  const double none = largest(0, 1), terms = std::floor((room - none) / (largest(1, 1) - none));
  if (!(terms >= 1)) return {};
  return {1, static_cast<std::int64_t>(std::ceil(static_cast<double>(k) / terms))};
}

std::vector<std::int64_t> random_offsets(std::int64_t experts, std::int64_t m, std::uint64_t seed) {
  std::vector<std::int64_t> offsets = {0, m};
  for (std::int64_t i = 1; i < experts; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    const bool is_empty = bits % 4 == 0;  // begins where another one does
    const auto row = static_cast<std::int64_t>(bits / 4 % static_cast<std::uint64_t>(m + 1));
    offsets.push_back(is_empty ? offsets.back() : row);
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

}  // namespace

GemmData::GemmData(const GemmOptions& problem, const Extents& size, std::uint64_t seed)
    : problem_(problem),
      matrices_(matrices_of(problem, size)),
      inputs_(further_inputs_of(problem, size)),
      seed_(seed) {
  if (problem.experts > 0) offsets_ = random_offsets(problem.experts, size[0], seed);
  is_scaled_ = scales_integers(problem);
  if (problem.init == Init::hard) {
    // Of no use but to say that results are exact.
    integers_.max = holds_whole_numbers_only(problem.a_type) && !is_scaled_ ? 1 : 0;
  } else if (is_scaled_) {
    integers_ = inputs_to_scale(problem, size[2]);
  } else if (wants_integers(problem) && problem.weights == nullptr) {
    integers_ = integer_inputs(problem, size[2]);
  }
}

const GemmArray& GemmData::matrix_at(int which) const {
  const auto at = static_cast<std::size_t>(which);
  return at < matrices_.size() ? matrices_[at] : inputs_[at - matrices_.size()];
}

bool GemmData::is_factor(int which) const {
  int input = problem_.experts > 0 ? 4 : 3;
  for (const AppliedEpilogueOp& named : problem_.epilogue) {
    for (std::size_t i = 0; i < named.step->inputs.size(); ++i) {
      if (input++ == which) return multiplies(*named.step);
    }
  }
  return false;
}

// The elements of one matrix; what is the same for all of them is found out once.
class GemmData::Elements {
 public:
  Elements(const GemmData& data, int which)
      : matrix_(data.matrix_at(which)),
        first_(matrix_.second_contiguous ? matrix_.rows : matrix_.cols),
        second_(matrix_.second_contiguous ? matrix_.cols : matrix_.rows),
        stream_(random_bits(data.seed_, static_cast<std::uint64_t>(which))) {
    const GemmOptions& problem = data.problem_;
    if (problem.init == Init::hard) hard_ = hard_numbers(matrix_.type);
    if (wants_integers(problem) && !(data.is_scaled_ && which >= 2)) {
      const std::int64_t max = std::max<std::int64_t>(data.integers_.max, 1);
      min_ = is_unsigned(matrix_.type) ? 0 : -max;
      numbers_ = static_cast<std::uint64_t>(max - min_ + 1);
      step_ = which == 0 ? data.integers_.step : 1;
    }
    if (problem.init == Init::nonfinite) {
      // About one row in four of A has one, and one in four of B.
      rarity_ = static_cast<std::uint64_t>(which >= 2 ? 8 : 4 * second_);
      is_factor_ = data.is_factor(which);
    }
    // Avoids denormals, also those of the type that an operand is rounded to, since devices may flush them.
    smallest_ = range_of(which < 2 ? multiplied_type(problem.a_type, problem.b_type) : matrix_.type)
                    .smallest_normal;
  }

  double at(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    const std::int64_t line = batch * first_ + i;
    if (hard_)
      return HardLine(*hard_, random_bits(stream_, static_cast<std::uint64_t>(line)), second_)[j];
    const std::uint64_t bits = random_bits(stream_, static_cast<std::uint64_t>(line * second_ + j));
    if (numbers_ > 0) {
      if (step_ > 1 && j % step_ != i % step_) return 0;
      return static_cast<double>(min_ + static_cast<std::int64_t>(bits % numbers_));
    }
    if (rarity_ > 0) {
      const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
      const std::uint64_t dice = random_bits(bits, 1) % (3 * rarity_);
      // 0 times infinity is NaN, but the sum of a kernel need not be 0 where the definition's is.
      if (dice < 3) return odd[is_factor_ ? 0 : dice];
    }
    const double uniform = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
    return std::fabs(uniform) < smallest_ ? smallest_ : uniform;
  }

 private:
  const GemmArray& matrix_;
  std::int64_t first_, second_;
  std::uint64_t stream_;
  std::optional<HardNumbers> hard_ = {};
  std::int64_t min_ = 0, step_ = 1;  // of integers
  std::uint64_t numbers_ = 0;        // how many integers there are; 0: other numbers
  std::uint64_t rarity_ = 0;         // of numbers that are not finite; 0: there are none
  bool is_factor_ = false;
  double smallest_ = 0;
};

// A row of `count` blocks with hard scales and minima, and any codes, whose weights are numbers of f32.
std::vector<std::byte> GemmData::hard_blocks(std::uint64_t stream, std::int64_t count) const {
  const WeightFormat& format = *problem_.weights;
  std::vector<std::byte> row(static_cast<std::size_t>(count * format.bytes));
  fill_random(row, 1, stream, 0);
  constexpr float kLargest = std::numeric_limits<float>::max();
  const double room = format.minimum ? kLargest / 2 : kLargest;
  const double largest_code = format.code.largest();
  // Towards 0, so that its product with the largest number is not beyond `room`.
  const auto line_of = [&](const std::optional<WeightNumber>& number, double largest_factor,
                           std::uint64_t stream_of) {
    const double largest = std::nextafter(static_cast<float>(room / largest_factor), 0.0f);
    return HardLine(
        {.type = number ? number->type : ScalarType::f32, .largest = largest, .nonfinite = false},
        random_bits(stream, stream_of), count);
  };
  const HardLine scales = line_of(format.scale, format.largest_number(), 1),
                 minima = line_of(format.minimum,
                                  format.sub_minimum ? format.sub_minimum->largest() : 1, 2);
  for (std::int64_t block = 0; block < count; ++block) {
    const auto of_block = std::span(row).subspan(static_cast<std::size_t>(block * format.bytes),
                                                 static_cast<std::size_t>(format.bytes));
    const auto store = [&](const std::optional<WeightNumber>& number, double value) {
      if (number) store_bits(*number, vkmoye::bits_of(number->type, value), of_block, 0);
    };
    store(format.scale, scales[block]);
    store(format.minimum, minima[block]);
    for (std::int64_t i = 0; i < format.elements; ++i) {  // every row would have a NaN
      const double number = format.code.number_of(bits_of(format.code, of_block, i));
      if (std::isnan(number)) store_bits(format.code, 0, of_block, i);
      if (!format.sub_scale) continue;
      const double part = format.sub_scale->number_of(bits_of(*format.sub_scale, of_block, i));
      const bool fits = std::fabs(part) * largest_code <= room;  // false for NaN
      if (!fits) store_bits(*format.sub_scale, 1, of_block, i);
    }
  }
  return row;
}

// The rows of B, quantised.
std::vector<std::byte> GemmData::blocks_of_weights() const {
  const GemmArray& matrix = matrices_[1];
  const WeightFormat& format = *problem_.weights;
  std::vector<std::byte> out(matrix.span() * 2, kPoison);
  const double max_weight = format.scale ? 1 : 127;  // the largest weight
  const auto columns = static_cast<std::size_t>(matrix.cols * 2 / format.bytes * format.elements);
  const std::int64_t batch = matrix.stride == 0 ? 1 : matrix.batch;
  const auto rows = static_cast<std::size_t>(batch * matrix.rows);
  in_parallel(rows, rows * columns > (1u << 16), [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(columns);
    for (std::uint64_t line = begin; line < end; ++line) {
      const auto number = static_cast<std::int64_t>(line);
      const std::int64_t at = matrix.at(number / matrix.rows, number % matrix.rows, 0);
      const auto place = out.begin() + static_cast<std::ptrdiff_t>(at * 2);
      if (problem_.init == Init::hard) {
        const auto blocks =
            hard_blocks(random_bits(random_bits(seed_, 1), line), matrix.cols * 2 / format.bytes);
        std::copy(blocks.begin(), blocks.end(), place);
        continue;
      }
      for (std::size_t j = 0; j < columns; ++j) {
        const std::uint64_t index = line * columns + j;
        row[j] = static_cast<double>(random_bits(random_bits(seed_, 1), index) >> 11) * 0x1p-52 - 1;
        row[j] *= max_weight;
      }
      const std::vector<std::byte> blocks = quantise(format, row);
      std::copy(blocks.begin(), blocks.end(), place);
    }
  });
  return out;
}

std::vector<std::byte> GemmData::bytes(int which) const {
  if (which == 1 && problem_.weights != nullptr) return blocks_of_weights();
  if (which == 3 && problem_.experts > 0) {
    std::vector<std::byte> out(offsets_.size() * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      store_number(ScalarType::u32, static_cast<double>(offsets_[i]),
                   &out[i * sizeof(std::uint32_t)]);
    }
    return out;
  }
  const GemmArray& matrix = matrix_at(which);
  const std::size_t width = size_of(matrix.type);
  std::vector<std::byte> out(matrix.span() * width, kPoison);
  if (which == 2 && !problem_.reads_c()) return out;
  const Elements elements(*this, which);
  // Matrices with stride 0 are all the same.
  const std::int64_t batch = matrix.stride == 0 ? 1 : matrix.batch;
  const bool are_many = matrix.rows * matrix.cols > (1 << 16);
  for (std::int64_t b = 0; b < batch; ++b) {
    in_parallel(
        static_cast<std::size_t>(matrix.rows), are_many, [&](std::size_t begin, std::size_t end) {
          for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end);
               ++row) {
            for (std::int64_t col = 0; col < matrix.cols; ++col) {
              const std::int64_t i = matrix.second_contiguous ? row : col;
              const std::int64_t j = matrix.second_contiguous ? col : row;
              store_number(matrix.type, elements.at(b, i, j), &out[matrix.at(b, i, j) * width]);
            }
          }
        });
  }
  return out;
}

}  // namespace vkmoye::gen
