#pragma once

#include <xapian.h>

#include "config/settings.h"
#include "plugin/answers.h"

namespace kindred {

/// Stores in a document its place on a map: the boolean terms of its topic and unit, which replace
/// those that it has, and the value slot (settings.topics). If it has no place, it has none of
/// these afterwards. False if it held the same already. @throws Xapian::Error.
bool write_place(Xapian::Document& document, const TopicPlacement& place,
                 const TopicSettings& settings);

}  // namespace kindred
