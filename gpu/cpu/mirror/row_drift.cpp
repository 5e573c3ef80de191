#include "gpu/cpu/mirror/row_drift.h"

#include <algorithm>
#include <cmath>

namespace kindred::cpu {

bool RowDrift::add(std::uint32_t place, double added, double length) {
  // By two divisions, since the square may be too small or too large. What is lost below the least
  // number is less than the unit that every move costs.
  const double units = std::max(1.0, std::ceil(added / length / length / kUnit));
  if (units <= kMost - units_[place]) {  // not if it is no number
    units_[place] = static_cast<std::uint8_t>(units_[place] + units);
    return true;
  }
  units_[place] = 0;
  return false;
}

}  // namespace kindred::cpu
