#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "config/api.h"

namespace kindred {

/// A language that documents name (term L and its code), and how many do.
struct LanguageCount {
  std::string language;
  Xapian::doccount documents = 0;
};

/// The languages of an index, in byte order.
/// @throws Xapian::Error.
KINDRED_API std::vector<LanguageCount> languages_of(const Xapian::Database& database);

}  // namespace kindred
