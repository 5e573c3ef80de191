#pragma once

#include <xapian.h>

#include "config/settings.h"
#include "plugin/documents/topic_placement.h"

namespace kindred {

/// Stores in a document its place on a map: the boolean terms of its topic and unit, which replace
/// those that it has, and the value slot (settings.topics). If it is not placed, it has none of
/// these afterwards. False if it held the same already. @throws Xapian::Error.
bool write_topic(Xapian::Document& document, const TopicPlacement& placement,
                 const TopicSettings& settings);

}  // namespace kindred
