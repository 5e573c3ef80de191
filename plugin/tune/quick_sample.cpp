#include "plugin/tune/quick_sample.h"

#include <algorithm>
#include <cmath>

#include "plugin/mirror/mirror_sample.h"
#include "plugin/tune/cross_fit/leave_one_out.h"

namespace kindred {
namespace {

/// How many of the voters are looked at: TuneRequest::quick_documents, and a quarter more for each
/// doubling beyond.
std::size_t sample_size(std::size_t voters, const TuneRequest& request) {
  constexpr double kForDoubling = 0.25;
  const auto most = static_cast<double>(request.quick_documents);
  const double doublings = std::log2(std::max(1.0, static_cast<double>(voters) / most));
  return static_cast<std::size_t>(most * (1 + kForDoubling * doublings));
}

}  // namespace

QuickSample::QuickSample(const Snapshot& snapshot, const Settings& settings, const RowSet& voters,
                         const TuneRequest& request)
    : rows_(drawn(voters.to_vector(), sample_size(voters.count(), request), request.seed)),
      snapshot_(mirror_sample(snapshot.mirror(), rows_), settings) {}

std::vector<std::vector<std::uint32_t>> QuickSample::groups(
    std::span<const std::vector<std::uint32_t>> groups) const {
  std::vector<std::vector<std::uint32_t>> result;
  for (const std::vector<std::uint32_t>& group : groups) {
    result.emplace_back();
    for (const std::uint32_t row : group) {
      const auto place = std::ranges::lower_bound(rows_, row);
      if (place != rows_.end() && *place == row)
        result.back().push_back(static_cast<std::uint32_t>(place - rows_.begin()));
    }
  }
  return result;
}

}  // namespace kindred
