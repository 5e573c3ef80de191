#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

struct Record;

/// The document data that Omega and similar programs show: one line "name=value" per field, in the
/// order id, title, sample, lang, label (once per label), then `fields`. Newlines become spaces.
/// Empty fields have no line. The sample is the first `sample_bytes` bytes of the text, cut at a
/// character; with 0 it is the whole text.
KINDRED_API std::string document_data(const Record& record, std::int64_t sample_bytes);

/// The first value of the field `name` in document data of this form; "" if there is none.
KINDRED_API std::string_view document_field(std::string_view data, std::string_view name);

/// What document data keep of the text, with one blank for any white space: the beginning of at
/// most `bytes`, cut between words where that is possible. "" if nothing is kept.
KINDRED_API std::string text_sample(std::string_view data, std::size_t bytes);

/// Document data of this form with other labels: `labels` instead of those that are among `before`.
/// Data that does not begin with the id of the document is of another program, and stays as it is.
std::string with_labels(std::string_view data, std::string_view id,
                        const std::vector<std::string>& before,
                        const std::vector<std::string>& labels);

}  // namespace kindred
