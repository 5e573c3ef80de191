#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/output/json_output.h"
#include "plugin/engine.h"

namespace kindred::cli {

/// A document as a record of 'kindred export', without its features. `topic`: null if it has none.
Json record_json(const StoredDocument& document, const Topic* topic);

/// These documents, to ask about them.
std::vector<Example> examples_of(std::span<const Xapian::docid> docids);

/// "1 document", "5 documents"
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace kindred::cli
