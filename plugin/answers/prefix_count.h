#pragma once

#include <cstdint>
#include <string>

namespace kindred {

/// What an index has under a prefix of terms.
struct PrefixCount {
  std::string prefix;
  std::uint64_t terms = 0;      ///< distinct ones
  std::uint64_t documents = 0;  ///< that have one of them or more
};

}  // namespace kindred
