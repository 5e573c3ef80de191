#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plugin/votes/tuning/tune_request.h"

namespace kindred::cli {

/// The numbers of the trials, the best by the objective first; ties in the order of trying.
std::vector<std::size_t> best_trials(const TuneReport& report, const std::string& objective);

/// What a run of tune was about.
struct TuningSubject {
  std::string database;
  std::string objective;
  double seconds = 0;  ///< that it took
};

/// Writes a run of tune as one HTML file that needs no other: what was chosen and why, scores
/// against the time, the best method of each vote, and all methods, the best first.
/// @throws Error kNotFound if it cannot be written; the old file is then unchanged.
void write_tuning_report(const std::string& path, const TuningSubject& subject,
                         const TuneReport& report);

}  // namespace kindred::cli
