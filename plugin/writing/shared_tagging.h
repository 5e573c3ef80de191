#pragma once

#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/answers/classification.h"
#include "plugin/answers/documents.h"
#include "plugin/engine.h"
#include "plugin/ranks/ranks.h"

namespace kindred {

/// What ranks other than 0 do while rank 0 runs tag_documents() with these ranks: they classify
/// parts of what it asks for, by an engine of the same revision of the same index. Returns when
/// rank 0 has ended. They write nothing.
/// @throws Error as Engine::classify(), kCanceled if a rank fails.
KINDRED_API void help_tagging(const Engine& engine, Ranks& ranks);

/// Rank 0's part: the answers of engine.classify(documents), which all ranks compute. No documents
/// end help_tagging() elsewhere.
std::vector<Classification> classify_with(Ranks& ranks, const Engine& engine,
                                          const std::vector<MirroredDocument>& documents);

}  // namespace kindred
