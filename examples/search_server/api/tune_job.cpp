#include "api/tune_job.h"

#include <utility>

#include "api/job_steps.h"

namespace search_server {
namespace {

/// The result as jobs show it: the tuning, and beside it what becomes of it.
Json shown_tuning(const Json& result) {
  if (!result.contains("tuning")) return Json::object();
  Json json = result["tuning"];
  for (const char* key : {"file", "drift", "expected_accuracy"}) json[key] = result[key];
  return json;
}

}  // namespace

Jobs::Work tune_work(std::shared_ptr<const Handle> plugin, Json request) {
  return [plugin = std::move(plugin), request = std::move(request)](JobContext& context) {
    return shown_tuning(plugin->ask("tune", request, job_step(context, "tune")));
  };
}

}  // namespace search_server
