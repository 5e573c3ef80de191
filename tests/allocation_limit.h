#pragma once

#include <cstddef>

namespace kindred::test {

/// For as long as it lives, the calling thread gets so many pieces of memory from operator new;
/// further ones are std::bad_alloc. A test that has one is linked with allocation_limit.cpp.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t most);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

}  // namespace kindred::test
