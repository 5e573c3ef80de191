#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kindred {

/// A set of rows of a mirror: one bit for each row that it covers. A row that it does not cover is
/// not in it.
class RowSet {
 public:
  RowSet() = default;                                                          ///< covers no row
  explicit RowSet(std::size_t rows) : rows_(rows), words_(words_for(rows)) {}  ///< without any
  static RowSet all(std::size_t rows);

  std::size_t rows() const { return rows_; }  ///< that it covers, from 0 on
  bool has(std::size_t row) const {
    return row < rows_ && (words_[row / kBits] >> row % kBits & 1) != 0;
  }

  /// The row must be covered.
  void set(std::size_t row) { words_[row / kBits] |= std::uint64_t{1} << row % kBits; }
  void reset(std::size_t row) { words_[row / kBits] &= ~(std::uint64_t{1} << row % kBits); }

  /// Covers `rows` rows from now on, at least as many as before. The new ones are not in it.
  void grow(std::size_t rows);

  /// Covers `end - begin` rows more: rows [begin, end) of `other`, which need not cover them.
  void append(const RowSet& other, std::size_t begin, std::size_t end);

  /// Each leaves the number of rows that are covered as it is.
  RowSet& operator&=(const RowSet& other);
  RowSet& operator-=(const RowSet& other);  ///< without those of `other`

  std::size_t count() const;

  /// Calls visit(row) for each row of the set, ascending.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
        visit(static_cast<std::uint32_t>(i * kBits) +
              static_cast<std::uint32_t>(std::countr_zero(left)));
  }
  std::vector<std::uint32_t> to_vector() const;  ///< ascending

  /// For kernels: row r is bit r % 64 of word r / 64. Bits past the last row are 0.
  std::span<const std::uint64_t> words() const { return words_; }
  std::size_t bytes() const { return words_.capacity() * sizeof(words_[0]); }  ///< of the words

  friend bool operator==(const RowSet&, const RowSet&) = default;

 private:
  static constexpr std::size_t kBits = 64;
  static std::size_t words_for(std::size_t rows) { return (rows + kBits - 1) / kBits; }
  std::uint64_t bits_from(std::size_t row) const;

  std::size_t rows_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace kindred
