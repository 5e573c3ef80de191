// Takes the place of operator new for the whole program.
#include "tests/allocation_limit.h"

#include <cstdlib>
#include <new>

namespace kindred::test {
namespace {

thread_local bool is_limited = false;
thread_local std::size_t left = 0;

}  // namespace

AllocationLimit::AllocationLimit(std::size_t most) {
  is_limited = true;
  left = most;
}
AllocationLimit::~AllocationLimit() { is_limited = false; }

}  // namespace kindred::test

// All that a sanitizer would have of its own: what one of them gives another takes back.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  using namespace kindred::test;
  if (is_limited && left == 0) return nullptr;
  if (is_limited) --left;
  return std::malloc(size > 0 ? size : 1);
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
