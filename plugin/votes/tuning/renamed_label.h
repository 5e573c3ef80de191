#pragma once

#include <string>

#include "plugin/query/filter_fields.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

// A label is renamed or removed in one document after the other, and a tuning is a file of its own.
// So it is replaced twice: before the first document by one that knows the label by both names, and
// gives the same tags whichever documents have which, and after the last one by one that knows what
// the documents have then. If the process ends in between, the first of these stays, and is right.

/// A tuning for documents of which some have the label `from`, and others have `to` instead. If the
/// tuning knows `to`, or `to` is "", the labels are as they were: the documents lose `from`.
/// @param fields those of the tuning's filter, which stays as it is if they do not read it
Tuning with_both_names(const Tuning& tuning, const FilterFields& fields, const std::string& from,
                       const std::string& to);

/// The tuning for documents that have `to` instead of `from`, or nothing if `to` is "". A filter
/// that names a label which is gone matches no document there, so it stays.
Tuning with_new_name(const Tuning& tuning, const FilterFields& fields, const std::string& from,
                     const std::string& to);

}  // namespace kindred
