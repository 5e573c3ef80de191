#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plugin/store/packing.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// What each term of an index weighed when that was learned. It does not follow the index, so that
/// a document that comes later changes nothing for the others. Immutable.
class FrozenWeights {
 public:
  /// `terms` are in byte order, each once; `weights` has one for each, finite and at least 0. They
  /// are rounded to float.
  /// @param of_others what other terms weigh, which is rounded, too; without it, the median of all
  /// weights above 0, the larger one of two; 0 if there are none
  FrozenWeights(StringTable terms, std::span<const double> weights,
                std::optional<double> of_others = {});

  std::uint32_t size() const { return terms_.size(); }
  const StringTable& terms() const { return terms_; }
  std::size_t bytes() const;

  /// The weight of a term; of_others() for one that it does not have. O(log size).
  double of(std::string_view term) const;

  /// Of terms that it does not have.
  double of_others() const { return of_others_; }

  /// Appends the weights of the terms that `dictionary` has and `weights` does not have yet. Quick
  /// for terms in byte order.
  void extend(const StringTable& dictionary, std::vector<double>& weights) const;

  /// Terms and weights.
  Packed packed() const;
  /// `of_others`: as for the constructor. @throws std::runtime_error that says what is wrong with
  /// it.
  static FrozenWeights unpacked(std::uint64_t terms, const Packed& packed,
                                std::optional<double> of_others = {});

 private:
  StringTable terms_;
  std::vector<float> weights_;
  float of_others_ = 0;
};

}  // namespace kindred
