#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/error.h"

namespace kindred {

// Arrays as bytes, for messages and journals. Ranks are of one build, so numbers travel as they lie
// in memory.

/// Adds an array to `bytes`, with its length.
template <typename T>
void pack(std::span<const T> values, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t size = values.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}
template <typename T>
void pack(const std::vector<T>& values, std::string& bytes) {
  pack(std::span<const T>(values), bytes);
}

/// Takes the array that `bytes` begin with, as it was added. @throws Error kCorrupt.
template <typename T>
std::vector<T> unpack(std::string_view& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::uint64_t size = 0;
  const auto refuse = [] { throw Error(Errc::kCorrupt, "a result of another rank is cut off"); };
  if (bytes.size() < sizeof size) refuse();
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (bytes.size() / sizeof(T) < size) refuse();
  std::vector<T> values(size);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size * sizeof(T));
  bytes.remove_prefix(size * sizeof(T));
  return values;
}

}  // namespace kindred
