#include "plugin/classify/shared_classification.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/ranks/collective.h"
#include "plugin/ranks/packed.h"

namespace kindred {
namespace {

std::optional<Tag> unpack_best(std::string_view& bytes) {
  std::vector<Tag> best = unpack_tags(bytes);
  if (best.empty()) return std::nullopt;
  return std::move(best.front());
}

}  // namespace

void pack_tags(std::span<const Tag> tags, std::string& bytes) {
  std::vector<double> confidences;
  std::vector<std::uint64_t> sizes;
  std::string labels;
  for (const Tag& tag : tags) {
    confidences.push_back(tag.confidence);
    sizes.push_back(tag.label.size());
    labels += tag.label;
  }
  pack(confidences, bytes);
  pack(sizes, bytes);
  pack(std::span<const char>(labels), bytes);
}

std::vector<Tag> unpack_tags(std::string_view& bytes) {
  const auto confidences = unpack<double>(bytes);
  const auto sizes = unpack<std::uint64_t>(bytes);
  const auto labels = unpack<char>(bytes);
  std::vector<Tag> tags;
  std::string_view rest(labels.data(), labels.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i >= confidences.size() || sizes[i] > rest.size())
      throw Error(Errc::kCorrupt, "tags of another rank are cut off");
    tags.push_back({std::string(rest.substr(0, sizes[i])), confidences[i]});
    rest.remove_prefix(sizes[i]);
  }
  return tags;
}

std::string packed(const std::vector<Classification>& classifications) {
  std::string bytes;
  for (const Classification& found : classifications) {
    if (!found.neighbors.empty() || !found.reasons.empty())
      throw Error(Errc::kInternal, "ranks do not send neighbors and reasons to each other");
    std::vector<std::uint64_t> numbers = {found.revision};
    if (found.unit) {
      const auto& [unit, topic, documents] = *found.unit;
      numbers.insert(numbers.end(), {unit, topic, documents});
    }
    pack(numbers, bytes);
    pack_tags(found.tags, bytes);
    pack_tags(found.best ? std::span<const Tag>(&*found.best, 1) : std::span<const Tag>(), bytes);
    pack_tags(found.withheld, bytes);
    pack_tags(found.scores, bytes);
  }
  return bytes;
}

std::vector<Classification> unpacked_classifications(std::string_view bytes) {
  std::vector<Classification> classifications;
  while (!bytes.empty()) {
    Classification found;
    const auto numbers = unpack<std::uint64_t>(bytes);
    found.revision = numbers.at(0);
    if (numbers.size() == 4) {
      found.unit = VotingUnit{static_cast<std::uint32_t>(numbers[1]),
                              static_cast<std::uint32_t>(numbers[2]), numbers[3]};
    }
    found.tags = unpack_tags(bytes);
    found.best = unpack_best(bytes);
    found.withheld = unpack_tags(bytes);
    found.scores = unpack_tags(bytes);
    classifications.push_back(std::move(found));
  }
  return classifications;
}

void share_classification(
    Ranks& ranks, std::size_t count, std::size_t at_once,
    const std::function<std::vector<Classification>(std::size_t begin, std::size_t end)>& classify,
    const std::function<void(std::size_t document, const Classification& found)>& on_classified) {
  const std::size_t each = std::max<std::size_t>(1, number_of_chunks(at_once, ranks.size()));
  for (std::size_t begin = 0; begin < count; begin += each * ranks.size()) {
    const std::size_t own = std::min(count, begin + ranks.rank() * each);
    const std::vector<Classification> found = classify(own, std::min(count, own + each));
    std::size_t document = begin;
    const auto hand_on = [&](const std::vector<Classification>& results) {
      for (const Classification& result : results) on_classified(document++, result);
    };
    if (ranks.rank() == 0) hand_on(found);
    if (ranks.size() == 1) continue;
    const std::vector<std::string> all = gather(ranks, ranks.rank() == 0 ? "" : packed(found));
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      std::vector<Classification> others = unpacked_classifications(all[rank]);
      for (Classification& other : others) other.shards = found.front().shards;  // all agree
      hand_on(others);
    }
  }
}

}  // namespace kindred
