#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// How many documents have a label.
struct LabelCount {
  std::string name;
  std::uint64_t documents = 0;  ///< that people gave it to
  std::uint64_t predicted = 0;  ///< that have it as a predicted tag
  std::uint64_t rejected = 0;   ///< that must not get it
};

struct LabelCounts {
  std::uint64_t revision = 0;      ///< of the index that was read
  std::vector<LabelCount> labels;  ///< in byte order
};

}  // namespace kindred
