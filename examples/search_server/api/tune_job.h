#pragma once

#include <memory>
#include <string>

#include "jobs/jobs.h"
#include "plugin/handle.h"

namespace search_server {

/// The work of a job that tunes by a request of "tune". Its result is that of the plugin.
Jobs::Work tune_work(std::shared_ptr<const Handle> plugin, Json request);

}  // namespace search_server
