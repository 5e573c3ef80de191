#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/answers/documents.h"
#include "plugin/engine.h"
#include "plugin/ranks/ranks.h"
#include "plugin/writing/tagging.h"

namespace kindred {

/// What ranks other than 0 do while rank 0 runs tag_documents() with these ranks: they classify
/// parts of what it asks for, by an engine of the same revision of the same index. Returns when
/// rank 0 has ended. They write nothing.
/// @throws Error as Engine::classify(), kCanceled if a rank fails.
void help_tagging(const Engine& engine, Ranks& ranks);

/// Rank 0's part: the answers of engine.classify(documents), which all ranks compute. No documents
/// end help_tagging() elsewhere.
std::vector<Classification> classify_with(Ranks& ranks, const Engine& engine,
                                          const std::vector<MirroredDocument>& documents);

/// The members of a report that are added up over shards and ranks.
inline constexpr std::array kTagCounts = {
    &TagReport::examined,  &TagReport::tagged,   &TagReport::labeled, &TagReport::opted_out,
    &TagReport::gone,      &TagReport::changed,  &TagReport::written, &TagReport::given,
    &TagReport::taken_off, &TagReport::rejected, &TagReport::allowed};

/// These members and the sample as bytes, and back. @throws Error kCorrupt.
std::string packed(const TagReport& report);
TagReport unpacked_report(std::string_view bytes);

}  // namespace kindred
