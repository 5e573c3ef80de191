#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gpu/som/exchange.h"
#include "gpu/som/twin.h"
#include "plugin/answers/topics.h"
#include "plugin/topics/map.h"

namespace kindred {

// What the processes that train one map do together. `others`: null for a process alone.

/// The rows [begin, end) of a process.
struct RowShare {
  std::size_t begin = 0, end = 0;
};

/// Divides `rows` rows among the processes, so that no two of them differ by more than one.
RowShare share_of(const SomExchange* others, std::size_t rows);

/// The matches of all rows, in their order, in every process. `own`: those of its share.
std::vector<SomMatch> gather_matches(SomExchange* others, std::vector<SomMatch> own,
                                     std::size_t rows);

/// Things that must be the same in all processes: what they are, "revision of the index", and the
/// value that this one has.
using SharedFacts = std::vector<std::pair<std::string, std::string>>;

/// Returns once all processes have called it.
/// @throws Error kInvalidArgument, in every process, if one has another value than the first: the
/// text names that process, by its rank.
void check_agreement(SomExchange* others, const SharedFacts& facts);

/// The request for a map, and the map to resume (null: none), likewise.
SharedFacts facts_of(const TopicsRequest& request, const TopicMap* earlier);

}  // namespace kindred
