#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "plugin/answers/classification.h"
#include "plugin/ranks/ranks.h"

namespace kindred {

/// Classifies `count` documents in parts, of which each rank takes its own. All ranks call this in
/// the same way.
/// @param at_once of these, all ranks together classify so many before results are handed on
/// @param classify gives the results of the documents [begin, end), on any rank the same; they have
///        neither neighbors nor reasons
/// @param on_classified called at rank 0 for each document, in their order
KINDRED_API void share_classification(
    Ranks& ranks, std::size_t count, std::size_t at_once,
    const std::function<std::vector<Classification>(std::size_t begin, std::size_t end)>& classify,
    const std::function<void(std::size_t document, const Classification& found)>& on_classified);

/// Tags at the end of `bytes`, and from their beginning. @throws Error kCorrupt.
void pack_tags(std::span<const Tag> tags, std::string& bytes);
std::vector<Tag> unpack_tags(std::string_view& bytes);

/// Classifications as bytes, and back. @throws Error kInternal if there are neighbors or reasons;
/// kCorrupt.
std::string packed(const std::vector<Classification>& classifications);
std::vector<Classification> unpacked_classifications(std::string_view bytes);

}  // namespace kindred
