#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plugin/store/packing.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// What each term of an index weighed when the index was tuned. It does not follow the index, so
/// that a document that comes later changes nothing for the others. Immutable.
class FrozenWeights {
 public:
  /// `terms` are in byte order, each once; `weights` has one for each, finite and at least 0. They
  /// are rounded to float.
  FrozenWeights(StringTable terms, std::span<const double> weights);

  std::uint32_t size() const { return terms_.size(); }
  const StringTable& terms() const { return terms_; }
  std::size_t bytes() const;

  /// The weight of a term; of_others() for one that the index did not have. O(log size).
  double of(std::string_view term) const;

  /// Of terms that came later: the median of all weights above 0, the larger one of two; 0 if there
  /// are none.
  double of_others() const { return of_others_; }

  /// Appends the weights of the terms that `vocabulary` has and `weights` does not have yet. Quick
  /// for terms in byte order.
  void extend(const StringTable& vocabulary, std::vector<double>& weights) const;

  /// Terms and weights.
  Packed packed() const;
  /// @throws std::runtime_error that says what is wrong with it.
  static FrozenWeights unpacked(std::uint64_t terms, const Packed& packed);

 private:
  StringTable terms_;
  std::vector<float> weights_;
  double of_others_ = 0;
};

}  // namespace kindred
