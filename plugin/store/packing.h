#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/store/string_table.h"

namespace kindred {

/// Bytes that were put together as below and compressed by zlib.
struct Packed {
  std::uint64_t size = 0;  ///< of `bytes` when they are unpacked
  std::vector<std::uint8_t> bytes;
};

Packed pack(const std::string& bytes);
/// @throws std::runtime_error that names `what` if they cannot be unpacked.
std::string unpack(const Packed& packed, const std::string& what);

/// Appends a number: seven bits in a byte, the lowest first; the last byte is below 128.
void put_number(std::string& bytes, std::uint64_t number);
/// The same for a number that may be negative: twice its size, less one if it is.
void put_signed(std::string& bytes, std::int64_t number);
/// Appends an IEEE 754 float, the lowest byte first.
void put_float(std::string& bytes, float value);
/// Appends strings in byte order: for each the number of bytes that it shares with the one before,
/// the number of its other bytes, and these.
void put_ascending(std::string& bytes, const StringTable& strings);

/// Reads what was put together so, and never beyond its end. Functions throw Error kCorrupt that
/// says what is wrong with the bytes.
class PackedReader {
 public:
  /// `what` names the whole in errors. Both are borrowed.
  PackedReader(std::string_view bytes, const std::string& what) : rest_(bytes), what_(what) {}

  std::string_view read(std::size_t size);
  std::uint64_t number();
  std::int64_t signed_number();
  /// @throws Error kCorrupt if it is not finite, or below 0.
  float number_of_at_least_0();
  /// Strings in byte order, each once.
  StringTable ascending(std::uint64_t count);
  /// @throws Error kCorrupt if there is more.
  void expect_end() const;
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  std::string_view rest_;
  const std::string& what_;
};

}  // namespace kindred
