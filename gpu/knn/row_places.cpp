#include "gpu/knn/row_places.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "config/error.h"
#include "gpu/knn/check.h"

namespace kindred {

RowPlaces RowPlaces::changed(const MirrorChange& change) const {
  const std::uint32_t added = change.added.rows;
  if (added > UINT32_MAX - places_)
    throw Error(Errc::kInvalidArgument, "the mirror would keep " +
                                            std::to_string(std::uint64_t{places_} + added) +
                                            " rows, replaced ones included; at most 2^32 - 1 are");
  RowPlaces result = *this;
  result.places_ += added;
  result.rows_ = size_after({rows_, 0}, change).rows;
  const bool replaces = added > 0 && change.number != nullptr && change.number[0] < rows_;
  if (has_moved() || replaces)
    result.move(change, places_);
  else
    result.unmoved_ = result.places_;
  if (change.dead != nullptr) result.bury(*change.dead);
  if (result.dead_.count() == 0)
    result.dead_ = {};
  else
    result.dead_.grow(result.places_);
  return result;
}

/// Puts the added rows at the places from `first_place` on.
void RowPlaces::move(const MirrorChange& change, std::uint32_t first_place) {
  if (place_.empty()) {
    place_.resize(first_place);
    std::iota(place_.begin(), place_.end(), 0u);
  }
  const auto before = static_cast<std::uint32_t>(place_.size());
  place_.resize(rows_);
  dead_.grow(places_);
  for (std::uint32_t i = 0; i < change.added.rows; ++i) {
    const std::uint32_t number = change.number != nullptr ? change.number[i] : before + i;
    if (number < before) dead_.set(place_[number]);
    place_[number] = first_place + i;
    number_.push_back(number);
  }
}

void RowPlaces::bury(const RowSet& numbers) {
  dead_.grow(places_);
  if (!has_moved()) {
    dead_ |= numbers;
    return;
  }
  numbers.for_each([&](std::uint32_t number) {
    if (number < rows_) dead_.set(place_[number]);
  });
}

std::size_t RowPlaces::bytes() const {
  return (place_.capacity() + number_.capacity()) * sizeof(std::uint32_t) + dead_.bytes();
}

}  // namespace kindred
