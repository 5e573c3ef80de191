#pragma once

#include <string>

#include "jobs/jobs.h"
#include "plugin/handle.h"

namespace search_server {

/// Passes the progress of a question on to a job, and ends it if the job is canceled. `doing`: what
/// the job says where the plugin says nothing. The context is borrowed.
inline Step job_step(JobContext& context, const std::string& doing) {
  return [&context, doing](const std::string& said, std::uint64_t done, std::uint64_t all) {
    context.progress(said.empty() || all > 0 ? doing : said, done, all);
    return !context.canceled();
  };
}

}  // namespace search_server
