#pragma once

#include <string>
#include <vector>

namespace kindred::attack {

// How long threads wait for a processor while other threads and programs have it, as Linux counts
// it in /proc/self/task/*/schedstat.

/// The ids of the threads of this process, sorted.
std::vector<std::string> running_threads();
std::string this_thread();

/// For how many milliseconds in all a thread of this process could have run, but did not; 0 if the
/// system does not tell.
double waited_ms(const std::string& thread);

}  // namespace kindred::attack
