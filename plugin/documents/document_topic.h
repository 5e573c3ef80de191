#pragma once

#include <xapian.h>

#include "config/settings.h"
#include "plugin/answers/topics.h"

namespace kindred {

/// Makes a document hold its place on a map: the boolean terms of its topic and unit, in place of
/// those that it has, and the value slot (settings.topics); none of these if it has no place. False
/// if it held the same already and nothing has changed. @throws Xapian::Error.
bool write_place(Xapian::Document& document, const TopicPlacement& place,
                 const TopicSettings& settings);

}  // namespace kindred
