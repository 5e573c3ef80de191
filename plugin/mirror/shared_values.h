#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kindred {

/// Values in one block of memory that copies share, so that an array which grows at its end costs
/// what is added. A copy may be read while another one grows. Of the copies of one array, only one
/// may grow at a time.
template <typename T>
class SharedValues {
 public:
  SharedValues() : SharedValues(std::vector<T>()) {}
  SharedValues(
      std::vector<T> values)  // NOLINT(google-explicit-constructor): a vector is its values
      : block_(std::make_shared<std::vector<T>>(std::move(values))),
        data_(block_->data()),
        size_(block_->size()) {}
  SharedValues(std::initializer_list<T> values) : SharedValues(std::vector<T>(values)) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& back() const { return data_[size_ - 1]; }

  void push_back(T value) { append({&value, 1}); }

  /// Copies the values only if another copy has grown, or the block is full.
  void append(std::span<const T> values) {
    if (block_->size() != size_ || block_->capacity() < size_ + values.size()) {
      auto block = std::make_shared<std::vector<T>>();
      block->reserve(size_ + std::max(values.size() + size_ / kSpare, kLeastSpare));
      block->assign(begin(), end());
      block_ = std::move(block);
    }
    block_->insert(block_->end(), values.begin(), values.end());
    data_ = block_->data();
    size_ = block_->size();
  }

  std::size_t bytes() const { return block_->capacity() * sizeof(T); }  ///< of the shared block

  friend bool operator==(const SharedValues& a, const SharedValues& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::size_t kSpare = 16, kLeastSpare = 64;  // 1 in so many; values

  std::shared_ptr<std::vector<T>> block_;  ///< its first size_ values do not change any more
  const T* data_;
  std::size_t size_;
};

}  // namespace kindred
