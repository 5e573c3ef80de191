#pragma once

#include <set>
#include <string>
#include <vector>

namespace kindred::cli {

/// The scripts of texts, without characters that many scripts share.
struct Scripts {
  std::set<std::string> names;  ///< as Unicode has them: "Cyrillic"
  bool has_east_asian = false;  ///< of Chinese, Japanese or Korean
  bool has_others = false;
  /// The language whose shapes ideographs are to have, by the other letters of the texts: "ja",
  /// "ko" or "zh"; "" = there are none.
  std::string ideographs;
};

/// `texts`: in UTF-8.
Scripts scripts_of(const std::vector<std::string>& texts);

}  // namespace kindred::cli
