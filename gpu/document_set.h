#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/row_set.h"
#include "gpu/segment_list.h"

namespace kindred {

/// A set of documents of a mirror. Holds a bit for each place, so it takes the same memory whatever
/// the documents' numbers are.
class DocumentSet {
 public:
  DocumentSet() = default;  ///< of a mirror without documents
  explicit DocumentSet(SegmentListPointer mirror)
      : mirror_(std::move(mirror)), places_(mirror_->places()) {}
  /// @param places of living documents; covers all places of the mirror
  DocumentSet(SegmentListPointer mirror, RowSet places)
      : mirror_(std::move(mirror)), places_(std::move(places)) {}
  static DocumentSet all(SegmentListPointer mirror);

  const SegmentList& mirror() const { return *mirror_; }
  const RowSet& places() const { return places_; }
  bool has(std::uint32_t number) const { return places_.has(mirror_->place_of(number)); }
  std::size_t count() const { return places_.count(); }
  /// Without effect for a number of no document.
  void insert(std::uint32_t number);
  void erase(std::uint32_t number);
  std::vector<std::uint32_t> numbers() const;  ///< ascending

  /// The other set is one of the same mirror.
  DocumentSet& operator&=(const DocumentSet& other);
  std::size_t bytes() const { return places_.bytes(); }

  friend bool operator==(const DocumentSet& a, const DocumentSet& b) {
    return a.mirror_ == b.mirror_ && a.places_ == b.places_;
  }

 private:
  SegmentListPointer mirror_ = std::make_shared<const SegmentList>();
  RowSet places_;
};

/// The places of the documents that a call may return.
struct AllowedPlaces {
  bool few = false;                   ///< then `places` lists them, and they are scored one by one
  std::vector<std::uint32_t> places;  ///< ascending
  /// One bit for each place; that of a dead place may have any value. Empty: all may be returned,
  /// or `few` are. Borrowed from the set.
  std::span<const std::uint64_t> words{};
};

/// Those of `allowed`, a set of this mirror; null: all.
AllowedPlaces allow(const DocumentSet* allowed, const SegmentList& mirror);

}  // namespace kindred
