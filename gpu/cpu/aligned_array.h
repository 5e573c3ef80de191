#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace kindred::cpu {

/// Owns size() values of type T, zero at first. They are aligned to a cache line, so that no vector
/// load crosses one.
template <typename T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : AlignedArray(for_overwrite(size)) {
    std::fill_n(data_.get(), size, T{});
  }

  /// Without values: whoever writes them first, in any thread, also meets the memory first.
  static AlignedArray for_overwrite(std::size_t size) {
    AlignedArray array;
    array.data_.reset(static_cast<T*>(::operator new[](size * sizeof(T), kAlignment)));
    array.size_ = size;
    return array;
  }

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct FreeAligned {
    void operator()(T* p) const { ::operator delete[](p, kAlignment); }
  };
  std::unique_ptr<T[], FreeAligned> data_;
  std::size_t size_ = 0;
};

}  // namespace kindred::cpu
