#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/som/exchange.h"
#include "gpu/som/twin.h"
#include "plugin/ranks/ranks.h"
#include "plugin/topics/map.h"

namespace kindred {

// What the ranks that train one map do together.

/// Joins the processes that train a map by the messages of ranks.
class RankExchange final : public SomExchange {
 public:
  explicit RankExchange(Ranks& ranks) : ranks_(ranks) {}
  void all_reduce(std::span<std::int64_t> values, SomReduction reduction) override;
  void add_up(const SomSumAccess& sums) override;

 private:
  Ranks& ranks_;
};

/// The rows [begin, end) of a rank.
struct RowShare {
  std::size_t begin = 0, end = 0;
};

/// Divides `rows` rows among the ranks, so that no two of them differ by more than one.
RowShare share_of(const Ranks& ranks, std::size_t rows);

/// At rank 0 the matches of all rows, in their order. Empty elsewhere.
std::vector<SomMatch> gather_matches(Ranks& ranks, std::vector<SomMatch> own);

/// Returns once all ranks have called it. `earlier`: the map to resume, or null.
/// @throws Error kInvalidArgument at rank 0 if a rank was asked for another map, or resumes
/// another.
void agree_on_map(Ranks& ranks, const TopicsRequest& request, const TopicMap* earlier);

}  // namespace kindred
