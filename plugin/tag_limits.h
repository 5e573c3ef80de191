#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plugin/classification.h"

namespace kindred {

/// What people have said about the predicted tags of one document.
struct TagLimits {
  bool auto_tag = true;               ///< false: it is to get none
  std::vector<std::string> rejected;  ///< it must not get these

  bool none() const { return auto_tag && rejected.empty(); }
  bool operator==(const TagLimits&) const = default;
};

/// Takes the tags that the limits forbid into Classification::withheld, then keeps the first
/// `max_labels` of the others. `best` becomes the strongest that may be given; it is empty if that
/// is not known.
void withhold(Classification& classification, const TagLimits& limits, std::size_t max_labels);

}  // namespace kindred
