#pragma once

#include <cstddef>

#include "config/settings.h"
#include "gpu/som/train.h"
#include "plugin/answers/topics.h"
#include "plugin/topics/map.h"

namespace kindred {

/// A request with nothing left open: from the settings, the number of documents (about 5
/// sqrt(documents) units: Vesanto and Alhoniemi 2000, at most 50 a side), or the map to go on from,
/// whose lattice it keeps. `earlier` may be null.
/// @throws Error kInvalidArgument that names what is out of range.
SomPlan topic_plan(const TopicsRequest& request, const TopicSettings& settings,
                   std::size_t documents, const TopicMap* earlier);

/// Topics wanted, 0 = found. @throws Error as above.
std::size_t topic_count(const TopicsRequest& request, const TopicSettings& settings);

}  // namespace kindred
