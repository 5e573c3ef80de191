#pragma once

#include <sys/mman.h>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace kindred::cpu {

/// Owns size() values of type T, zero at first. They are aligned to a cache line, so that no vector
/// load crosses one. Large arrays are in huge pages where the system gives them: an array of all
/// rows is made at every change, and half of its cost would be pages that memory brings one by one.
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

    const std::align_val_t alignment = alignment_for(size);
    array.data_ = {static_cast<T*>(::operator new[](size * sizeof(T), alignment)),
                   FreeAligned{alignment}};
    array.size_ = size;

#ifdef MADV_HUGEPAGE
    if (alignment == kHugePage)  // whole pages only, so that no memory is lost; it may be refused
      static_cast<void>(
          madvise(array.data(), size * sizeof(T) / kHugeBytes * kHugeBytes, MADV_HUGEPAGE));
#endif
    return array;
  }

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kHugeBytes = std::size_t{2} << 20;
  static constexpr std::align_val_t kCacheLine{64};
  static constexpr std::align_val_t kHugePage{kHugeBytes};

  static std::align_val_t alignment_for(std::size_t size) {
    return size * sizeof(T) < 2 * kHugeBytes ? kCacheLine : kHugePage;
  }

  struct FreeAligned {
    std::align_val_t alignment = kCacheLine;
    void operator()(T* p) const { ::operator delete[](p, alignment); }
  };
  std::unique_ptr<T[], FreeAligned> data_;
  std::size_t size_ = 0;
};

}  // namespace kindred::cpu
