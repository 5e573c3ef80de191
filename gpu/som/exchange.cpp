#include "gpu/som/exchange.h"

#include <algorithm>

#include "config/error.h"

namespace kindred {
namespace {

constexpr unsigned kBits = 7;  // of a number, in each byte; the eighth says that more follow
constexpr std::uint64_t kMore = std::uint64_t{1} << kBits;
constexpr std::size_t kMostBytes = 10;  // of a number

char* put(std::uint64_t number, char* at) {
  for (; number >= kMore; number >>= kBits)
    *at++ = static_cast<char>((number & (kMore - 1)) | kMore);
  *at++ = static_cast<char>(number);
  return at;
}

std::uint64_t take(std::string_view& bytes) {
  std::uint64_t number = 0;
  unsigned shift = 0;
  for (std::size_t i = 0; shift < 64 && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);

    // The bits are read from the lowest on; the byte without the mark is the last of the number.
    // Ten bytes hold 64 bits, so a number ends there or the list is damaged.
    number |= (byte & (kMore - 1)) << shift;
    shift += kBits;
    if (byte >= kMore) continue;
    bytes.remove_prefix(i + 1);
    return number;
  }
  throw Error(Errc::kCorrupt, "a list of packed values is cut off");
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
  const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0));
  const std::size_t nonzero = values.size() - zeros;

  // Room for the worst case, so that nothing is checked while bytes are written; it is cut off
  // below. Each value that is not 0 takes two numbers, and so do the counts in front.
  std::string packed((nonzero + 1) * 2 * kMostBytes, '\0');
  char* at = put(nonzero, put(values.size(), packed.data()));

  // Zeros are not written: each other value comes with how many of them are before it.
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    at = put(folded(values[i]), put(i - next, at));
    next = i + 1;
  }

  packed.resize(static_cast<std::size_t>(at - packed.data()));
  return packed;
}

void add_values(std::string_view bytes, std::span<std::int64_t> values) {
  if (take(bytes) != values.size())
    throw Error(Errc::kInternal, "processes join different numbers of values");

  std::size_t next = 0;
  const std::uint64_t nonzero = take(bytes);
  for (std::uint64_t i = 0; i < nonzero; ++i) {
    // `next` is the first value that is not yet passed. The check comes before the addition, which
    // could overflow for bytes that another process sent.
    const std::uint64_t zeros = take(bytes);
    if (zeros >= values.size() - next)
      throw Error(Errc::kCorrupt, "a list of packed values holds too many");

    next += zeros;
    values[next] += unfolded(take(bytes));
    ++next;
  }
}

}  // namespace kindred
