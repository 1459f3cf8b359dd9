// SPDX-License-Identifier: MIT
#include "gguf.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vkmoye/contract/scalar_value.hpp>
#include <vkmoye/gen/kernels/products/form/gemm_form.hpp>

namespace llama {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

// Reads the file from its beginning, and refuses to read past its end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> file) : file_(file) {}

  std::size_t place() const { return place_; }

  std::span<const std::byte> take(std::uint64_t count, const std::string& what) {
    if (count > file_.size() - place_) {
      throw std::runtime_error("truncated: " + what + " needs " + std::to_string(count) +
                               " bytes at byte " + std::to_string(place_) + ", the file has " +
                               std::to_string(file_.size()));
    }
    const auto out = file_.subspan(place_, count);
    place_ += count;
    return out;
  }
  template <class T>
  T number(const std::string& what) {
    T out;
    std::memcpy(&out, take(sizeof(T), what).data(), sizeof(T));
    return out;
  }
  std::string string(const std::string& what) {
    const auto bytes = take(number<std::uint64_t>("the length of " + what), what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> file_;
  std::size_t place_ = 0;
};

constexpr std::uint32_t kString = 8, kArray = 9;  // of the types of values

Value value_of(Cursor& file, std::uint32_t type, const std::string& what) {
  const auto whole = [&](auto number) { return Value(static_cast<std::int64_t>(number)); };
  switch (type) {
    case 0: return whole(file.number<std::uint8_t>(what));
    case 1: return whole(file.number<std::int8_t>(what));
    case 2: return whole(file.number<std::uint16_t>(what));
    case 3: return whole(file.number<std::int16_t>(what));
    case 4: return whole(file.number<std::uint32_t>(what));
    case 5: return whole(file.number<std::int32_t>(what));
    case 6: return Value(double{file.number<float>(what)});
    case 7: {
      const auto byte = file.number<std::uint8_t>(what);
      if (byte > 1) throw std::runtime_error(what + " is a bool of " + std::to_string(byte));
      return Value(byte == 1);
    }
    case kString: return Value(file.string(what));
    case 10: return whole(file.number<std::uint64_t>(what));
    case 11: return whole(file.number<std::int64_t>(what));
    case 12: return Value(file.number<double>(what));
    default:
      throw std::runtime_error(what + " has the unknown type " + std::to_string(type) +
                               "; types are 0 to 12");
  }
}

Value array_of(Cursor& file, const std::string& what) {
  const auto type = file.number<std::uint32_t>("the type of " + what);
  const auto count = file.number<std::uint64_t>("the length of " + what);
  if (type == kArray) throw std::runtime_error(what + " is an array of arrays");
  if (type == kString) {
    Texts out;
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(file.string(what));
    return out;
  }
  Numbers out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Value value = value_of(file, type, what);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* flag = std::get_if<bool>(&value);
    out.push_back(whole  ? static_cast<double>(*whole)
                  : flag ? static_cast<double>(*flag)
                         : std::get<double>(value));
  }
  return out;
}

std::uint64_t product_of(std::uint64_t a, std::uint64_t b, const std::string& what) {
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) {
    throw std::runtime_error(what + " has more than 2^63 elements");
  }
  return a * b;
}

const TensorType& type_of(std::uint32_t number, const std::string& what) {
  std::string known;
  for (const TensorType& type : tensor_types()) {
    if (type.number == number) return type;
    known += (known.empty() ? "" : ", ") + type.name + " (" + std::to_string(type.number) + ")";
  }
  throw std::runtime_error(what + " has ggml type " + std::to_string(number) +
                           "; this program reads " + known);
}

// The bytes of a tensor in the file, checked.
struct Place {
  std::uint64_t offset, bytes;
};

Place read_tensor(Cursor& file, FileTensor& tensor) {
  tensor.name = file.string("the name of a tensor");
  const std::string what = "tensor '" + tensor.name + "'";
  const auto rank = file.number<std::uint32_t>("the rank of " + what);
  if (rank < 1 || rank > 4) {
    throw std::runtime_error(what + " has rank " + std::to_string(rank) + ", not 1 to 4");
  }
  for (std::uint32_t i = 0; i < rank; ++i) {
    tensor.extents.push_back(file.number<std::uint64_t>("the extents of " + what));
  }
  tensor.type = &type_of(file.number<std::uint32_t>("the type of " + what), what);
  const auto offset = file.number<std::uint64_t>("the offset of " + what);
  std::uint64_t count = 1;
  for (const std::uint64_t extent : tensor.extents) {
    if (extent == 0) throw std::runtime_error(what + " has an extent of 0");
    count = product_of(count, extent, what);
  }
  const std::uint64_t block = tensor.type->block_elements;
  if (tensor.extents[0] % block != 0) {
    throw std::runtime_error(what + ": rows of " + std::to_string(tensor.extents[0]) +
                             " elements are not whole blocks of " + std::to_string(block));
  }
  return {offset, product_of(count / block, tensor.type->block_bytes, what)};
}

std::uint64_t alignment_of(const Gguf& gguf) {
  const auto found = gguf.values.find("general.alignment");
  if (found == gguf.values.end()) return 32;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  if (value == nullptr || *value <= 0 || *value % 8 != 0) {
    throw std::runtime_error("general.alignment is not a positive multiple of 8");
  }
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

const std::vector<TensorType>& tensor_types() {
  static const auto types = [] {
    using vkmoye::ScalarType;
    std::vector<TensorType> out = {{"f32", 0, 1, 4, ScalarType::f32, nullptr},
                                   {"f16", 1, 1, 2, ScalarType::f16, nullptr},
                                   {"bf16", 30, 1, 2, ScalarType::bf16, nullptr}};
    const auto add = [&](const char* name, std::uint32_t number) {
      const auto* format = vkmoye::gen::find_weight_format(name);
      out.push_back({name, number, static_cast<std::uint64_t>(format->elements),
                     static_cast<std::uint64_t>(format->bytes), vkmoye::gen::kWeightType, format});
    };
    add("q4_0", 2);
    add("q4_1", 3);
    add("q5_0", 6);
    add("q5_1", 7);
    add("q8_0", 8);
    add("q2_K", 10);
    add("q3_K", 11);
    add("q4_K", 12);
    add("q5_K", 13);
    add("q6_K", 14);
    add("iq4_nl", 20);
    add("iq4_xs", 23);
    return out;
  }();
  return types;
}

const TensorType& tensor_type(const std::string& name) {
  for (const TensorType& type : tensor_types()) {
    if (type.name == name) return type;
  }
  std::string known;
  for (const TensorType& type : tensor_types()) known += (known.empty() ? "" : ", ") + type.name;
  throw std::runtime_error("there is no type '" + name + "'; types are " + known);
}

std::uint64_t FileTensor::elements() const {
  return bytes.size() / type->block_bytes * type->block_elements;
}

std::vector<double> numbers_of(const FileTensor& tensor) {
  if (tensor.type->blocks != nullptr) {
    return vkmoye::gen::dequantise(*tensor.type->blocks, tensor.bytes,
                                   static_cast<std::int64_t>(tensor.elements()));
  }
  std::vector<double> out(tensor.elements());
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &tensor.bytes[i * tensor.type->block_bytes], tensor.type->block_bytes);
    out[i] = vkmoye::number_of(tensor.type->scalar, bits);
  }
  return out;
}

Gguf parse_gguf(std::span<const std::byte> bytes) {
  Cursor file(bytes);
  const auto magic = file.take(4, "the magic number");
  if (std::memcmp(magic.data(), "GGUF", 4) != 0) {
    throw std::runtime_error("the file does not begin with 'GGUF'");
  }
  const auto version = file.number<std::uint32_t>("the version");
  if (version != 2 && version != 3) {
    throw std::runtime_error("GGUF version " + std::to_string(version) +
                             "; this program reads 2 and 3");
  }
  const auto tensors = file.number<std::uint64_t>("the number of tensors");
  const auto values = file.number<std::uint64_t>("the number of values");
  Gguf out;
  for (std::uint64_t i = 0; i < values; ++i) {
    const std::string key = file.string("a key");
    const auto type = file.number<std::uint32_t>("the type of '" + key + "'");
    const std::string what = "'" + key + "'";
    Value value = type == kArray ? array_of(file, what) : value_of(file, type, what);
    if (!out.values.emplace(key, std::move(value)).second) {
      throw std::runtime_error(what + " occurs twice");
    }
  }
  std::vector<std::pair<FileTensor, Place>> found;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    FileTensor tensor;
    const Place place = read_tensor(file, tensor);
    found.emplace_back(std::move(tensor), place);
  }
  const std::uint64_t alignment = alignment_of(out);
  const std::uint64_t padding = (alignment - file.place() % alignment) % alignment;
  const std::size_t rest = bytes.size() - file.place();
  const auto data = bytes.last(padding < rest ? rest - padding : 0);
  for (auto& [tensor, place] : found) {
    const std::string what = "tensor '" + tensor.name + "'";
    if (place.offset % alignment != 0) {
      throw std::runtime_error(what + ": offset " + std::to_string(place.offset) +
                               " is not a multiple of the alignment, " + std::to_string(alignment));
    }
    if (place.offset > data.size() || place.bytes > data.size() - place.offset) {
      throw std::runtime_error(what + ": " + std::to_string(place.bytes) + " bytes at offset " +
                               std::to_string(place.offset) + " lie outside of the data, " +
                               std::to_string(data.size()) + " bytes");
    }
    tensor.bytes = data.subspan(place.offset, place.bytes);
    const std::string name = tensor.name;
    if (!out.tensors.emplace(name, std::move(tensor)).second) {
      throw std::runtime_error(what + " occurs twice");
    }
  }
  return out;
}

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  const bool is_open = file >= 0 && fstat(file, &status) == 0;
  void* data = MAP_FAILED;
  if (is_open && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  const std::string reason = std::strerror(errno);
  if (file >= 0) close(file);
  if (is_open && status.st_size == 0) throw std::runtime_error(path + " is empty");
  if (data == MAP_FAILED) throw std::runtime_error(path + ": " + reason);
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() { munmap(const_cast<std::byte*>(data_), size_); }

}  // namespace llama
