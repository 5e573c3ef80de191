#pragma once

#include <cstddef>
#include <functional>

namespace kindred {

/// Calls work(item) once for every item in [0, items), on up to `threads` threads, the caller's
/// among them; which thread takes which item is left to luck. Blocks until all are done. The
/// first exception that work throws stops the rest and is thrown here.
void for_each_item(std::size_t items, std::size_t threads,
                   const std::function<void(std::size_t item)>& work);

}  // namespace kindred
