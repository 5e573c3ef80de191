#pragma once

#include <string>
#include <vector>

namespace kindred {

/// What people have said about the predicted tags of one document.
struct TagLimits {
  bool auto_tag = true;               ///< false: it is to get none
  std::vector<std::string> rejected;  ///< it must not get these

  bool operator==(const TagLimits&) const = default;
};

}  // namespace kindred
