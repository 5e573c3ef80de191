#include "plugin/mirror/label_table.h"

#include <algorithm>

namespace kindred {

void LabelTable::count(const SegmentList& mirror) {
  documents.assign(names.size(), 0);
  for (std::uint32_t place = 0; place < mirror.places(); ++place)
    for (const std::uint32_t own : mirror.labels_at(place)) ++documents[own];

  order.clear();
  for (std::uint32_t own = 0; own < documents.size(); ++own)
    if (documents[own] > 0) order.push_back(own);

  std::ranges::sort(order, {}, [&](std::uint32_t own) {
    return names[own];
  });
  in_byte_order_ = order.size() == names.size() && std::ranges::is_sorted(order);
}

void LabelTable::count_one(std::uint32_t own) {
  ++documents[own];
  if (documents[own] > 1) return;
  order.insert(place_of(own), own);
  in_byte_order_ = false;
}

void LabelTable::discount_one(std::uint32_t own) {
  --documents[own];
  if (documents[own] > 0) return;
  order.erase(place_of(own));
  in_byte_order_ = false;
}

/// Where a label stands in the order, or is to stand.
std::vector<std::uint32_t>::iterator LabelTable::place_of(std::uint32_t own) {
  return std::lower_bound(order.begin(), order.end(), own, [&](std::uint32_t a, std::uint32_t b) {
    return names[a] < names[b];
  });
}

std::vector<std::uint32_t> LabelTable::ranks() const {
  std::vector<std::uint32_t> ranks(names.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    ranks[order[i]] = i;
  }
  return ranks;
}

}  // namespace kindred
