// The packed form is a zlib stream. Each term has the number of bytes that it shares with the one
// before, the number of its other bytes, and these; numbers have seven bits in a byte, the lowest
// first, and the last byte is below 128. The weights follow as IEEE 754 floats, the lowest byte
// first.
#include "plugin/votes/frozen_weights.h"

#include <zlib.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace kindred {
namespace {

constexpr std::uint64_t kMostCompression = 1032;  // of zlib: bytes in for one byte out

void put_number(std::string& bytes, std::size_t number) {
  for (; number >= 128; number /= 128) bytes.push_back(static_cast<char>(number % 128 + 128));
  bytes.push_back(static_cast<char>(number));
}

/// Reads what packed() put together, and never beyond its end.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("the term weights end too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::size_t number() {
    std::size_t number = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      number |= std::size_t{byte & 127U} << shift;
      if (byte < 128) return number;
    }
    throw std::runtime_error("a term of the term weights is too long");
  }

  float weight() {
    std::uint32_t bits = 0;
    for (int i = 0; const char byte : take(sizeof bits))
      bits |= std::uint32_t{static_cast<unsigned char>(byte)} << 8 * i++;
    return std::bit_cast<float>(bits);
  }

  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

StringTable unpacked_terms(PackedReader& reader, std::uint64_t count) {
  StringTable terms;
  std::string term;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string before = term;
    const std::size_t shared = reader.number();
    if (shared > term.size())
      throw std::runtime_error("a term shares more than the one before has");
    term.resize(shared);
    term += reader.take(reader.number());
    if (i > 0 && term <= before) throw std::runtime_error("terms of weights do not ascend");
    terms.push_back(term);
  }
  return terms;
}

double median_above_zero(std::vector<float> weights) {
  std::erase_if(weights, [](float weight) { return !(weight > 0); });
  if (weights.empty()) return 0;
  const auto middle = weights.begin() + static_cast<std::ptrdiff_t>(weights.size() / 2);
  std::nth_element(weights.begin(), middle, weights.end());
  return *middle;
}

std::vector<float> as_floats(std::span<const double> weights) {
  std::vector<float> floats(weights.size());
  std::transform(weights.begin(), weights.end(), floats.begin(),
                 [](double weight) { return static_cast<float>(weight); });
  return floats;
}

}  // namespace

FrozenWeights::FrozenWeights(StringTable terms, std::span<const double> weights)
    : FrozenWeights(std::move(terms), as_floats(weights)) {}

FrozenWeights::FrozenWeights(StringTable terms, std::vector<float> weights)
    : terms_(std::move(terms)),
      weights_(std::move(weights)),
      of_others_(median_above_zero(weights_)) {}

std::size_t FrozenWeights::bytes() const {
  return terms_.bytes() + weights_.capacity() * sizeof(float);
}

/// The number of the first term that does not come before this one.
std::uint32_t FrozenWeights::first_from(std::string_view term) const {
  std::uint32_t low = 0, high = size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (terms_[middle] < term) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

double FrozenWeights::of(std::string_view term) const {
  const std::uint32_t at = first_from(term);
  return at < size() && terms_[at] == term ? double{weights_[at]} : of_others_;
}

void FrozenWeights::extend(const StringTable& vocabulary, std::vector<double>& weights) const {
  weights.reserve(vocabulary.size());
  std::uint32_t next = 0;
  for (auto column = static_cast<std::uint32_t>(weights.size()); column < vocabulary.size();
       ++column) {
    const std::string_view term = vocabulary[column];
    if (next >= size() || terms_[next] != term) next = first_from(term);
    const bool is_known = next < size() && terms_[next] == term;
    weights.push_back(is_known ? double{weights_[next++]} : of_others_);
  }
}

FrozenWeights::Packed FrozenWeights::packed() const {
  std::string text;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::string_view term = terms_[i], before = i == 0 ? std::string_view() : terms_[i - 1];
    const auto shared = static_cast<std::size_t>(
        std::mismatch(before.begin(), before.end(), term.begin(), term.end()).first -
        before.begin());
    put_number(text, shared);
    put_number(text, term.size() - shared);
    text += term.substr(shared);
  }
  for (const float weight : weights_) {
    const auto bits = std::bit_cast<std::uint32_t>(weight);
    for (int i = 0; i < 4; ++i) text.push_back(static_cast<char>(bits >> 8 * i & 255));
  }
  Packed packed{size(), text.size(), std::vector<std::uint8_t>(compressBound(text.size()))};
  uLongf length = packed.bytes.size();
  if (compress(packed.bytes.data(), &length, reinterpret_cast<const Bytef*>(text.data()),
               text.size()) != Z_OK)
    throw std::bad_alloc();  // there is no other reason
  packed.bytes.resize(length);
  return packed;
}

FrozenWeights FrozenWeights::unpacked(const Packed& packed) {
  if (packed.size / kMostCompression > packed.bytes.size() || packed.terms > packed.size ||
      packed.terms >= std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("the sizes of the term weights do not fit together");
  std::string text(packed.size, '\0');
  uLongf length = text.size();
  if (uncompress(reinterpret_cast<Bytef*>(text.data()), &length, packed.bytes.data(),
                 packed.bytes.size()) != Z_OK ||
      length != text.size())
    throw std::runtime_error("the term weights cannot be unpacked");
  PackedReader reader(text);
  StringTable terms = unpacked_terms(reader, packed.terms);
  std::vector<float> weights(packed.terms);
  for (float& weight : weights) {
    weight = reader.weight();
    if (!(std::isfinite(weight) && weight >= 0))
      throw std::runtime_error("a term weight is not a number of at least 0");
  }
  if (!reader.at_end()) throw std::runtime_error("more follows the term weights");
  return {std::move(terms), std::move(weights)};
}

}  // namespace kindred
