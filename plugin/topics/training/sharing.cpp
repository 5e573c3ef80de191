#include "plugin/topics/training/sharing.h"

#include <xxhash.h>
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/topics/file.h"

namespace kindred {
namespace {

std::string text_of(const TopicsRequest& request) {
  std::string text = "lattice " + request.lattice + " start " + request.start;
  const auto append = [&](const char* name, std::int64_t value) {
    text.append(" ").append(name).append(" ").append(std::to_string(value));
  };
  if (request.rows) append("rows", *request.rows);
  if (request.columns) append("columns", *request.columns);
  append("epochs", request.epochs);
  append("seed", request.seed);
  append("topics", request.count);
  append("toroidal", request.toroidal);
  append("linear", request.linear);
  append("cut", request.cut);
  append("resume", request.resume);
  return text + " sigma " + number_text(request.sigma_start) + " to " +
         number_text(request.sigma_end);
}

}  // namespace

RowShare share_of(const SomExchange* others, std::size_t rows) {
  if (others == nullptr) return {0, rows};
  return {rows * others->rank() / others->size(), rows * (others->rank() + 1) / others->size()};
}

/// The matches are sums, to which only one process gives anything but 0.
std::vector<SomMatch> gather_matches(SomExchange* others, std::vector<SomMatch> own,
                                     std::size_t rows) {
  if (others == nullptr) return own;
  using Words = std::array<std::int64_t, sizeof(SomMatch) / sizeof(std::int64_t)>;
  static_assert(sizeof(Words) == sizeof(SomMatch));
  constexpr std::size_t kWords = std::tuple_size_v<Words>;
  std::vector<std::int64_t> words(rows * kWords);
  auto place = words.begin() + static_cast<std::ptrdiff_t>(share_of(others, rows).begin * kWords);
  for (const SomMatch& match : own)
    place = std::ranges::copy(std::bit_cast<Words>(match), place).out;
  others->all_reduce(words, SomReduction::kSum);
  std::vector<SomMatch> all(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    Words of_row;
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(row * kWords), kWords, of_row.begin());
    all[row] = std::bit_cast<SomMatch>(of_row);
  }
  return all;
}

void check_agreement(SomExchange* others, const SharedFacts& facts) {
  if (others == nullptr) return;
  std::vector<std::int64_t> hashes(others->size() * facts.size());  // by process and fact
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string& value = facts[i].second;
    hashes[others->rank() * facts.size() + i] =
        static_cast<std::int64_t>(XXH3_64bits(value.data(), value.size()));
  }
  others->all_reduce(hashes, SomReduction::kSum);
  for (std::size_t i = facts.size(); i < hashes.size(); ++i) {
    if (hashes[i] == hashes[i % facts.size()]) continue;
    throw Error(Errc::kInvalidArgument, "processes that train one map differ: rank " +
                                            std::to_string(i / facts.size()) + " has another " +
                                            facts[i % facts.size()].first + " than rank 0");
  }
}

SharedFacts facts_of(const TopicsRequest& request, const TopicMap* earlier) {
  const std::string resumed =
      earlier == nullptr ? "none" : std::to_string(topic_map_checksum(*earlier));
  return {{"request", text_of(request)}, {"checksum of the map", resumed}};
}

}  // namespace kindred
