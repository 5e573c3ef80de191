#include "gpu/cpu/left_out.h"

#include <algorithm>

#include "gpu/cpu/tiles.h"

namespace kindred::cpu {
namespace {

constexpr std::ptrdiff_t kWorthLeavingOut = 64;  // postings; fewer are added in no time
constexpr std::uint32_t kMostCount = 3;          // beyond the planes; most postings have less
constexpr std::uint32_t kPlaneCost = 8;          // documents whose postings cost as much as a plane

}  // namespace

std::uint32_t LeftOut::choose(std::span<Slice> slices, std::uint32_t documents, double most,
                              const CoarseContributions& coarse) {
  if (!(most >= 1)) return 0;
  steps_.clear();
  for (std::uint32_t i = 0; i < slices.size(); ++i)
    add_steps(i, slices[i], documents, most, coarse);
  std::ranges::sort(steps_, std::greater(), &Step::gain);
  const auto room = static_cast<std::uint32_t>(most);
  std::uint32_t lacks = 0;
  for (const Step& step : steps_) {
    Slice& slice = slices[step.slice];
    if (step.count <= slice.left_out || step.lacks - slice.lacks > room - lacks) continue;
    lacks += step.lacks - slice.lacks;
    slice.left_out = step.count;
    slice.lacks = step.lacks;
  }
  return lacks;
}

/// The counts of a slice, lowest first, as long as their contributions are small enough.
void LeftOut::add_steps(std::uint32_t number, const Slice& slice, std::uint32_t documents,
                        double most, const CoarseContributions& coarse) {
  if (slice.end - slice.begin < kWorthLeavingOut && !slice.has_planes) return;
  std::uint32_t lacks = 0;
  const auto add = [&](std::uint32_t count, std::uint32_t postings) {
    const std::uint32_t more = std::max(lacks, coarse.of(slice.factor, count));
    if (more > most) return false;
    const float each = static_cast<float>(more - lacks) + 1;
    steps_.push_back({static_cast<float>(postings) / each, number, count, more});
    lacks = more;
    return true;
  };
  const std::uint16_t* p = slice.begin;
  const std::uint32_t planes = slice.has_planes ? p[0] : 0;
  for (std::uint32_t count = 1; count <= planes; ++count)
    if (!add(count, documents / kPlaneCost)) return;
  if (slice.has_planes) p += 3;
  for (; p != slice.end && p[0] != Tile::kMixed && p[0] <= planes + kMostCount; p = Tile::end_of(p))
    if (!add(p[0], p[1])) return;
}

}  // namespace kindred::cpu
