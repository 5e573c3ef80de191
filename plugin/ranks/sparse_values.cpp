#include "plugin/ranks/sparse_values.h"

#include <algorithm>
#include <cstddef>

#include "config/error.h"

namespace kindred {
namespace {

constexpr unsigned kBits = 7;  // of a number, in each byte; the eighth says that more follow
constexpr std::uint64_t kMore = std::uint64_t{1} << kBits;

void append(std::uint64_t number, std::string& bytes) {
  for (; number >= kMore; number >>= kBits)
    bytes += static_cast<char>((number & (kMore - 1)) | kMore);
  bytes += static_cast<char>(number);
}

std::uint64_t take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += kBits) {
    if (bytes.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= (byte & (kMore - 1)) << shift;
    if (byte < kMore) return number;
  }
  throw Error(Errc::kCorrupt, "a message of another rank is cut off");
}

/// Small numbers for integers near 0: 0, -1, 1, -2, 2.
std::uint64_t folded(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? ~(bits << 1) : bits << 1;
}
std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number % 2 == 0 ? number >> 1 : ~(number >> 1));
}

}  // namespace

std::string packed_values(std::span<const std::int64_t> values) {
  std::string bytes;
  append(values.size(), bytes);
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    append(i - next, bytes);
    append(folded(values[i]), bytes);
    next = i + 1;
  }
  return bytes;
}

void unpack_values(std::string_view bytes, std::span<std::int64_t> values) {
  if (take(bytes) != values.size())
    throw Error(Errc::kInternal, "ranks join different numbers of values");
  std::fill(values.begin(), values.end(), 0);
  for (std::size_t next = 0; !bytes.empty(); ++next) {
    const std::uint64_t zeros = take(bytes);
    if (zeros >= values.size() - next)
      throw Error(Errc::kCorrupt, "a message of another rank holds too many values");
    next += zeros;
    values[next] = unfolded(take(bytes));
  }
}

}  // namespace kindred
