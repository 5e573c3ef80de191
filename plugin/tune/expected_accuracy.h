#pragma once

#include <optional>

#include "config/api.h"
#include "plugin/tune/tune_report.h"

namespace kindred {

/// The share of documents that come later whose best tag will be right: what was measured, and as
/// many standard errors below and above as nine of ten samples of so many documents lie within.
/// `least` goes further down for those that have no siblings, labels of one document, or that
/// differ from what there is as this has differed from what came before. It is at most 0.1 below
/// `most`.
struct ExpectedAccuracy {
  double least = 0;
  double most = 0;
};
/// None if no document was measured, since none has a label that another one has.
KINDRED_API std::optional<ExpectedAccuracy> expected_accuracy(const TuneReport& report);

}  // namespace kindred
