#pragma once

#include <algorithm>
#include <cmath>

namespace kindred {

/// ln(1 + e^z).
inline double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

/// Corrects the log-odds z of a label, that is ln(p / (1 - p)), of several that a document may
/// have:
///
///     offset + unlikely * ln p - likely * ln(1 - p) + ahead * max(lead, 0)
///
/// (beta calibration: Kull, Silva Filho and Flach 2017). For small p, only `unlikely` matters, for
/// large p only `likely`. People leave out labels that they might have given, so a large p grows
/// more slowly than z says. `lead` is z less the largest of all other labels: it sets the best
/// label apart. The default changes nothing. The order of a document's labels never changes.
struct Calibration {
  double offset = 0;
  double unlikely = 1, likely = 1, ahead = 0;  ///< at least 0

  bool operator==(const Calibration&) const = default;

  double corrected(double z, double lead) const {
    return offset - unlikely * softplus(-z) + likely * softplus(z) + ahead * std::max(lead, 0.0);
  }
};

}  // namespace kindred
