#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kindred {

// What tells a host how far something is. All are called in the thread that called the library, may
// be empty, and pass on what they throw.

/// Called now and then while a database is read for the first time, with the postings of its
/// features that are read so far and all that there are. If it must be read again, because a writer
/// has committed meanwhile, it begins again at 0.
using ReadingProgress = std::function<void(std::uint64_t read, std::uint64_t all)>;

/// Called after each batch with the documents that are done so far and all that will be. If it
/// returns false, the call is canceled.
using DocumentProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

/// Called after each batch with the documents that were looked at so far, all that will be, and the
/// suspects among them. If it returns false, the call is canceled.
using SuspectsProgress =
    std::function<bool(std::uint64_t done, std::uint64_t all, std::uint64_t found)>;

/// Called with what is being done, with the work that is done so far, and with about how much there
/// is in all, in a unit that takes about the same time everywhere. `done` never falls, and is `all`
/// at most. If it throws, it is not called again, and what tunes or learns throws that.
using OnTuning =
    std::function<void(const std::string& doing, std::uint64_t done, std::uint64_t all)>;

}  // namespace kindred
