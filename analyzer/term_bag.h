#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// A term of a text and how often it occurs there.
struct TermCount {
  std::string term;  ///< UTF-8, without any Xapian prefix
  std::uint32_t count = 0;

  friend bool operator==(const TermCount&, const TermCount&) = default;
};

/// A text as weighting and kNN see it: its terms in byte order, each once, with counts >= 1.
using TermBag = std::vector<TermCount>;

}  // namespace kindred
