#pragma once

#include "http/problem.h"
#include "http/router.h"
#include "jobs/jobs.h"
#include "plugin/plugin_error.h"

namespace search_server {

/// What a failure of the plugin is to a client.
Problem problem_of(const PluginError& error);

/// 503 with Retry-After.
Problem busy(const std::string& type, const std::string& detail);

/// `handler`, with failures of the plugin and of Xapian turned into problems. Every handler of the
/// API is one.
Handler guarded(Handler handler);

/// The same for the work of a job.
Jobs::Work guarded_work(Jobs::Work work);

}  // namespace search_server
