#include "plugin/topics/training/sharing.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "plugin/ranks/agreement.h"
#include "plugin/ranks/collective.h"
#include "plugin/ranks/packed.h"
#include "plugin/topics/file.h"

namespace kindred {
namespace {

/// Sums that are read, packed and added at once: few enough for a cache of the second level.
constexpr std::size_t kSumsAtOnce = std::size_t{1} << 15;

template <typename Value>
void append(std::ostream& text, const char* name, const std::optional<Value>& value) {
  if (value) text << name << ' ' << *value << ' ';
}

std::string text_of(const TopicsRequest& request) {
  std::ostringstream text;
  text.precision(17);
  append(text, "rows", request.rows);
  append(text, "columns", request.columns);
  append(text, "epochs", request.epochs);
  append(text, "lattice", request.lattice);
  append(text, "seed", request.seed);
  append(text, "topics", request.count);
  text << "start " << request.start << " sigma " << request.sigma_start << " to "
       << request.sigma_end << " toroidal " << request.toroidal << " linear " << request.linear
       << " cut " << request.cut << " resume " << request.resume;
  return text.str();
}

}  // namespace

void RankExchange::all_reduce(std::span<std::int64_t> values, SomReduction reduction) {
  if (reduction == SomReduction::kSum) {
    kindred::add_up(ranks_, values);
  } else {
    take_largest(ranks_, values);
  }
}

void RankExchange::add_up(const SomSumAccess& sums) {
  const std::size_t units = sums.units, columns = std::max<std::size_t>(1, kSumsAtOnce / units);
  kindred::add_up(ranks_, {.count = sums.columns * units,
                           .at_once = columns * units,
                           .read =
                               [&](std::size_t first, std::span<std::int64_t> values) {
                                 sums.read(static_cast<std::uint32_t>(first / units), values);
                               },
                           .write =
                               [&](std::size_t first, std::span<const std::int64_t> values) {
                                 sums.write(static_cast<std::uint32_t>(first / units), values);
                               }});
}

RowShare share_of(const Ranks& ranks, std::size_t rows) {
  return {rows * ranks.rank() / ranks.size(), rows * (ranks.rank() + 1) / ranks.size()};
}

std::vector<SomMatch> gather_matches(Ranks& ranks, std::vector<SomMatch> own) {
  if (ranks.size() == 1) return own;
  std::string packed;
  pack(own, packed);
  std::vector<SomMatch> all;
  for (const std::string& bytes : gather(ranks, std::move(packed))) {
    std::string_view left = bytes;
    const std::vector<SomMatch> matches = unpack<SomMatch>(left);
    all.insert(all.end(), matches.begin(), matches.end());
  }
  return all;
}

void agree_on_map(Ranks& ranks, const TopicsRequest& request, const TopicMap* earlier) {
  if (ranks.size() == 1) return;
  const std::string resumed =
      earlier == nullptr ? "none" : std::to_string(topic_map_checksum(*earlier));
  check_agreement(ranks, {{"request", text_of(request)}, {"checksum of the map", resumed}});
}

}  // namespace kindred
