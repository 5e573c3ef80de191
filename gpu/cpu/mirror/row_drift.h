#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kindred::cpu {

/// How much the square of each row's length may have changed since it was measured, by terms whose
/// idf moved far: in units of 2^-15 of that square, rounded up. The rows of terms that move a
/// little at a time are so measured again once in many moves (docs/scoring.md, "Lengths that lag
/// behind").
class RowDrift {
 public:
  static constexpr double kUnit = 0x1p-15;
  static constexpr std::uint8_t kMost = 200;  ///< units that a row may drift

  /// Covers `places` from now on; those that are new have not drifted.
  void grow(std::size_t places) { units_.resize(places); }

  /// The square of a row, whose length when it was measured was `length`, changes by up to `added`.
  /// False if the row is to be measured: it has then no drift any more.
  bool add(std::uint32_t place, double added, double length);

  std::size_t bytes() const { return units_.capacity(); }

 private:
  std::vector<std::uint8_t> units_;  ///< [places]
};

}  // namespace kindred::cpu
