#pragma once

#include <xapian.h>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/analysis_record.h"

namespace kindred {

// An index that Kindred makes records in its metadata how texts were analyzed, so that nobody adds
// documents or asks questions whose terms are made in another way.

/// The record of an index; nothing if it has none.
/// @throws Error kInvalidArgument (it is damaged); Xapian::Error.
std::optional<AnalysisRecord> recorded_analysis(const Xapian::Database& database);

/// Writes the record, with the next commit. @throws Xapian::Error.
void record_analysis(Xapian::WritableDatabase& database, const AnalysisRecord& record);

/// Removes it, with the next commit. @throws Xapian::Error.
void forget_analysis(Xapian::WritableDatabase& database);

/// Refuses an analysis whose rules are others than those of the record. A key that the record lacks
/// came with a later version of Kindred, and had its default when the index was made.
/// @throws Error kInvalidArgument that spells out each difference: key, value there, value here.
/// `name` is what the message calls the index.
void check_analysis(const std::string& name, const AnalysisRecord& recorded,
                    const AnalysisRecord& here);

/// A sentence that says which versions differ from those of the record; "" if none does.
std::string differing_versions(const AnalysisRecord& recorded, const AnalysisRecord& here);

/// A number as setting_text() writes it, from one of a host whose locale has a decimal comma
/// ("0,5") or groups digits ("1.000"), or with more digits than it needs. Other values stay as they
/// are. No setting that shapes an index is a fraction above 1, so "1,234" is a whole number.
std::string plain_number(std::string_view value);

}  // namespace kindred
