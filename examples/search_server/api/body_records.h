#pragma once

#include <kindred/readers/field_map.h>
#include <kindred/readers/record_forms.h>

#include <functional>
#include <optional>

#include "http/message.h"

namespace search_server {

inline constexpr const char* kNdjson = "application/x-ndjson";

/// Gives the next record of a body; nothing at the end.
using NextRecord = std::function<std::optional<kindred::RecordLine>()>;

/// The records of a body, by its media type. Both are borrowed.
/// @throws kindred::Error for a table or an array that has no records; Problem 415.
NextRecord records_of(const Request& request, const kindred::FieldMap& map);

/// True for JSON that is no array.
bool is_one_record(const Request& request);

}  // namespace search_server
