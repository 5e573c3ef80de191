#include "plugin/votes/frozen_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace kindred {
namespace {

const std::string kWeightsName = "the term weights";

float median_above_zero(std::vector<float> weights) {
  std::erase_if(weights, [](float weight) {
    return !(weight > 0);
  });
  if (weights.empty()) return 0;

  const auto middle = weights.begin() + static_cast<std::ptrdiff_t>(weights.size() / 2);
  std::nth_element(weights.begin(), middle, weights.end());
  return *middle;
}

}  // namespace

FrozenWeights::FrozenWeights(StringTable terms, std::span<const double> weights,
                             std::optional<double> of_others)
    : terms_(std::move(terms)),
      weights_(weights.begin(), weights.end()),
      of_others_(of_others ? static_cast<float>(*of_others) : median_above_zero(weights_)) {}

std::size_t FrozenWeights::bytes() const {
  return terms_.bytes() + weights_.capacity() * sizeof(float);
}

double FrozenWeights::of(std::string_view term) const {
  const std::uint32_t at = first_from(terms_, term);
  return at < size() && terms_[at] == term ? weights_[at] : of_others_;
}

void FrozenWeights::extend(const StringTable& dictionary, std::vector<double>& weights) const {
  weights.reserve(dictionary.size());
  look_up_all(terms_, dictionary, static_cast<std::uint32_t>(weights.size()),
              [&](std::optional<std::uint32_t> number) {
                weights.push_back(number ? weights_[*number] : of_others_);
              });
}

Packed FrozenWeights::packed() const {
  std::string bytes;
  put_ascending(bytes, terms_);
  for (const float weight : weights_) put_float(bytes, weight);
  return pack(bytes);
}

FrozenWeights FrozenWeights::unpacked(std::uint64_t terms, const Packed& packed,
                                      std::optional<double> of_others) {
  if (of_others && !(std::isfinite(static_cast<float>(*of_others)) && *of_others >= 0))
    throw std::runtime_error("the weight of other terms is not a number of at least 0");

  const std::string bytes = unpack(packed, kWeightsName);
  PackedReader reader(bytes, kWeightsName);
  if (terms > bytes.size() || terms >= std::numeric_limits<std::uint32_t>::max())
    reader.refuse("the number of terms does not fit their size");

  StringTable table = reader.ascending(terms);
  std::vector<double> weights(terms);
  for (double& weight : weights) weight = reader.number_of_at_least_0();
  reader.expect_end();
  return {std::move(table), weights, of_others};
}

}  // namespace kindred
