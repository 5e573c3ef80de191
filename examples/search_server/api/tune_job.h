#pragma once

#include <memory>
#include <string>

#include "jobs/jobs.h"
#include "plugin/handle.h"

namespace search_server {

/// The work of a job that tunes. `settings`: a JSON object as kindred_tune_request has it; "" with
/// KINDRED_IF_DUE. Its result is what the plugin says, or an empty object if nothing was due.
Jobs::Work tune_work(std::shared_ptr<const Handle> plugin, std::string settings,
                     std::uint64_t flags);

}  // namespace search_server
