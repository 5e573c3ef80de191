#include "plugin/store/packing.h"

#include <zlib.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <stdexcept>

#include "config/error.h"

namespace kindred {
namespace {

constexpr std::uint64_t kMostCompression = 1032;  // of zlib: bytes in for one byte out

}  // namespace

Packed pack(const std::string& bytes) {
  Packed packed{bytes.size(), std::vector<std::uint8_t>(compressBound(bytes.size()))};

  uLongf length = packed.bytes.size();
  if (compress(packed.bytes.data(), &length, reinterpret_cast<const Bytef*>(bytes.data()),
               bytes.size()) != Z_OK)
    throw std::bad_alloc();  // there is no other reason

  packed.bytes.resize(length);
  return packed;
}

std::string unpack(const Packed& packed, const std::string& what) {
  // Before the memory is allocated: the size may have come from anybody.
  if (packed.size / kMostCompression > packed.bytes.size())
    throw std::runtime_error("the sizes of " + what + " do not fit together");

  std::string bytes(packed.size, '\0');
  uLongf length = bytes.size();
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length, packed.bytes.data(),
                 packed.bytes.size()) != Z_OK ||
      length != bytes.size())
    throw std::runtime_error(what + " cannot be unpacked");
  return bytes;
}

void put_number(std::string& bytes, std::uint64_t number) {
  while (number >= 128) {
    bytes.push_back(static_cast<char>(number % 128 + 128));
    number /= 128;
  }
  bytes.push_back(static_cast<char>(number));
}

void put_signed(std::string& bytes, std::int64_t number) {
  if (number < 0) {
    put_number(bytes, 2 * static_cast<std::uint64_t>(-number) - 1);
  } else {
    put_number(bytes, 2 * static_cast<std::uint64_t>(number));
  }
}

void put_float(std::string& bytes, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(bits >> 8 * i & 255));
}

void put_ascending(std::string& bytes, const StringTable& strings) {
  for (std::uint32_t i = 0; i < strings.size(); ++i) {
    const std::string_view own = strings[i];
    std::string_view before;
    if (i > 0) before = strings[i - 1];

    // Strings in byte order often begin as the one before does, and this part is not written again.
    const auto shared = static_cast<std::size_t>(
        std::mismatch(before.begin(), before.end(), own.begin(), own.end()).first - before.begin());
    put_number(bytes, shared);
    put_number(bytes, own.size() - shared);
    bytes += own.substr(shared);
  }
}

void PackedReader::refuse(const std::string& reason) const {
  throw Error(Errc::kCorrupt, what_ + ": " + reason);
}

std::string_view PackedReader::read(std::size_t size) {
  if (size > rest_.size()) refuse("the end comes too early");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t PackedReader::number() {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    const auto byte = static_cast<unsigned char>(read(1).front());
    number |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) return number;
  }
  refuse("a number is too long");
}

std::int64_t PackedReader::signed_number() {
  const std::uint64_t twice = number();
  const auto half = static_cast<std::int64_t>((twice + 1) / 2);
  if (twice % 2 == 0) return half;
  return -half;
}

float PackedReader::number_of_at_least_0() {
  std::uint32_t bits = 0;
  int shift = 0;
  for (const char byte : read(sizeof bits)) {
    bits |= std::uint32_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }

  // The bytes may come from anybody, and be those of an infinite number, or of none.
  const auto value = std::bit_cast<float>(bits);
  if (!(std::isfinite(value) && value >= 0)) refuse("a weight is not a number of at least 0");
  return value;
}

StringTable PackedReader::ascending(std::uint64_t count) {
  StringTable strings;
  std::string text;

  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string before = text;
    const std::uint64_t shared = number();
    if (shared > text.size()) refuse("a term shares more than the one before has");

    // What it shares with the one before stays, and the rest follows.
    text.resize(shared);
    text += read(number());
    if (i > 0 && text <= before) refuse("terms do not ascend");

    strings.push_back(text);
  }
  return strings;
}

void PackedReader::expect_end() const {
  if (!rest_.empty()) refuse("more follows");
}

}  // namespace kindred
