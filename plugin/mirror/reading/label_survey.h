#pragma once

#include <xapian.h>
#include <vector>

#include "config/settings.h"
#include "plugin/answers/label_counts.h"

namespace kindred {

/// The labels of a database in byte order, with the numbers of their documents. Takes these from
/// the terms' frequencies; a list is read only where a label is spelled in two ways.
/// @throws Error kCorrupt; Xapian::Error.
std::vector<LabelCount> survey_labels(const Xapian::Database& database,
                                      const LabelSettings& settings);

}  // namespace kindred
