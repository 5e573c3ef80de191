#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// Where a mirror has its rows, and which of them are dead. Callers know a row by its number. Its
/// entries and labels are at a place: places count the rows of the mirror, then those of each
/// change, as they came. A row that is replaced keeps its number and gets another place; the place
/// it had is dead for good. As long as no row was replaced, every row's number is its place.
/// Immutable but for assignment.
class RowPlaces {
 public:
  explicit RowPlaces(std::uint32_t rows) : rows_(rows), places_(rows), unmoved_(rows) {}

  /// The places after `change`, which has passed check_change().
  /// @throws Error kInvalidArgument if there would be more than 2^32 - 1 places.
  RowPlaces changed(const MirrorChange& change) const;

  std::uint32_t rows() const { return rows_; }           ///< numbers, dead rows included
  std::uint32_t places() const { return places_; }       ///< at least as many
  bool has_moved() const { return unmoved_ < places_; }  ///< false while no row was replaced
  /// Places below this one are those of the rows of the same numbers, or were once.
  std::uint32_t unmoved() const { return unmoved_; }

  std::uint32_t place_of(std::uint32_t number) const {
    return has_moved() ? place_[number] : number;
  }
  /// The number of the row that is at `place`, or was before it was replaced.
  std::uint32_t number_at(std::uint32_t place) const {
    return place < unmoved_ ? place : number_[place - unmoved_];
  }

  /// The dead places: of rows that died, or were replaced. Covers none if none is dead, else all.
  const RowSet& dead() const { return dead_; }

  /// [rows] place_of() each row; empty while no row was replaced.
  std::span<const std::uint32_t> place() const { return place_; }
  /// [places - unmoved] number_at() each place from unmoved() on.
  std::span<const std::uint32_t> moved_numbers() const { return number_; }

  std::size_t bytes() const;

 private:
  void move(const MirrorChange& change, std::uint32_t first_place);
  void bury(const RowSet& numbers);

  std::uint32_t rows_, places_, unmoved_;
  std::vector<std::uint32_t> place_, number_;
  RowSet dead_;
};

}  // namespace kindred
