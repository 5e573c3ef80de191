#pragma once

#include <cstddef>

#include "gpu/som/train.h"
#include "plugin/answers/topics.h"
#include "plugin/topics/map.h"

namespace kindred {

/// The complete plan of a request. A side that it does not set comes from the number of documents
/// (about 5 sqrt(documents) units: Vesanto and Alhoniemi 2000, at most 50 per side). The plan of a
/// map that is resumed keeps its lattice. `earlier` is that map, or null.
/// @throws Error kInvalidArgument that names what is out of range.
SomPlan topic_plan(const TopicsRequest& request, std::size_t documents, const TopicMap* earlier);

/// How many topics; 0 = training finds a number. @throws Error as above.
std::size_t topic_count(const TopicsRequest& request);

}  // namespace kindred
