#pragma once

#include <string>
#include <vector>

namespace kindred {

/// What people have said about the predicted tags of one document.
struct TagLimits {
  bool auto_tag = true;               ///< false: the document gets none
  std::vector<std::string> rejected;  ///< tags that the document must not get

  bool operator==(const TagLimits&) const = default;
};

}  // namespace kindred
