#pragma once

#include <cstdint>
#include <functional>

namespace kindred {

/// Called now and then while a database is read for the first time, in the thread that opens it,
/// with the postings of its features that are read so far and all that there are. If it must be
/// read again, because a writer has committed meanwhile, it begins again at 0. What it throws is
/// passed on.
using ReadingProgress = std::function<void(std::uint64_t read, std::uint64_t all)>;

}  // namespace kindred
