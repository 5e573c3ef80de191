#pragma once

#include <kindred/kindred.h>

#include <string>
#include <utility>

#include "jobs/jobs.h"
#include "plugin/handle.h"

namespace search_server {

/// Passes the progress of a call of the plugin on to a job, and ends the call if the job is
/// canceled: one of its functions is `progress`, and it is `progress_user`.
class JobSteps {
 public:
  JobSteps(JobContext& context, std::string doing) : context_(context), doing_(std::move(doing)) {}

  static int documents(void* user, const kindred_step* step) {
    auto& steps = *static_cast<JobSteps*>(user);
    return steps.pass_on(steps.doing_, step->done, step->all);
  }
  static int tuning(void* user, const kindred_tune_step* step) {
    return static_cast<JobSteps*>(user)->pass_on(std::string(view(step->doing)), step->documents,
                                                 0);
  }
  static int epochs(void* user, const kindred_topics_epoch* epoch) {
    auto& steps = *static_cast<JobSteps*>(user);
    return steps.pass_on(steps.doing_, epoch->epoch, epoch->epochs);
  }

 private:
  int pass_on(const std::string& doing, std::uint64_t done, std::uint64_t of) {
    context_.progress(doing, done, of);
    return context_.canceled() ? 1 : 0;
  }

  JobContext& context_;
  const std::string doing_;
};

}  // namespace search_server
