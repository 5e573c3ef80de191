#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/error.h"
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

/// Parses CBOR (RFC 8949) that may come from anybody: the library's parser calls itself for each
/// array and object, so what nests deeper than 16 is refused before the stack ends.
/// @throws std::exception that says what is wrong
nlohmann::json parse_cbor(const std::string& bytes);

/// The bytes of an object that Xapian serializes.
std::string serialized(const nlohmann::json& json);

/// The whole number in a JSON value. (The JSON library itself would also convert fractions, and
/// numbers that do not fit.) @throws Error kCorrupt if it is not a whole number, or does not fit.
template <typename Integer, typename Json>
Integer whole_number(const Json& json) {
  bool fits = false;
  if (json.is_number_unsigned()) {
    fits = std::in_range<Integer>(json.template get<std::uint64_t>());
  } else if (json.is_number_integer()) {
    fits = std::in_range<Integer>(json.template get<std::int64_t>());
  }
  if (!fits)
    throw Error(Errc::kCorrupt, "expected a whole number, found " + json.dump().substr(0, 40));
  return json.template get<Integer>();
}

/// What read(json) makes of serialized() bytes. `name` is that of the object, whose "version" is to
/// be this one. @throws Xapian::SerialisationError that says what is wrong.
template <typename Read>
auto unserialized(const std::string& name, int version, const std::string& bytes, Read&& read) {
  try {
    const nlohmann::json json = parse_cbor(bytes);
    if (const auto found = whole_number<int>(json.at("version")); found != version)
      throw Error(Errc::kUnsupported, "expected version " + std::to_string(version) + ", found " +
                                          std::to_string(found));
    return read(json);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw Xapian::SerialisationError(name + ": " + e.what());
  }
}

}  // namespace kindred
