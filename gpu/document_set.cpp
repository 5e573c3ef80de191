#include "gpu/document_set.h"

#include <algorithm>

namespace kindred {

DocumentSet DocumentSet::all(SegmentListPointer mirror) {
  RowSet places = RowSet::all(mirror->places());
  places -= mirror->dead();
  return {std::move(mirror), std::move(places)};
}

void DocumentSet::insert(std::uint32_t number) {
  const std::uint32_t place = mirror_->place_of(number);
  if (place != kNoPlace) places_.set(place);
}

void DocumentSet::erase(std::uint32_t number) {
  const std::uint32_t place = mirror_->place_of(number);
  if (place != kNoPlace) places_.reset(place);
}

std::vector<std::uint32_t> DocumentSet::numbers() const {
  std::vector<std::uint32_t> result = places_.to_vector();
  for (std::uint32_t& each : result) each = mirror_->number_at(each);
  if (mirror_->ascending() < mirror_->places()) std::ranges::sort(result);
  return result;
}

DocumentSet& DocumentSet::operator&=(const DocumentSet& other) {
  places_ &= other.places_;
  return *this;
}

AllowedPlaces allow(const DocumentSet* allowed, const SegmentList& mirror) {
  constexpr double kFewAllowed = 0.03;  // below this share, rows are scored one by one

  // Few rows are listed, since a scan of all for them costs more. Both forms give the same answer.
  AllowedPlaces result;
  if (allowed == nullptr) return result;
  result.few = static_cast<double>(allowed->count()) < kFewAllowed * mirror.documents();
  if (result.few)
    result.places = allowed->places().to_vector();
  else
    result.words = allowed->places().words();
  return result;
}

}  // namespace kindred
