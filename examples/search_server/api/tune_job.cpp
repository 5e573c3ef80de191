#include "api/tune_job.h"

#include <utility>

#include "api/job_steps.h"
#include "api/json.h"

namespace search_server {

Jobs::Work tune_work(std::shared_ptr<const Handle> plugin, std::string settings,
                     std::uint64_t flags) {
  return [plugin = std::move(plugin), settings = std::move(settings), flags](JobContext& context) {
    JobSteps steps(context, "tune");
    kindred_tune_request question = KINDRED_TUNE_REQUEST_INIT;
    question.settings = borrowed(settings);
    question.flags = flags;
    question.progress = JobSteps::tuning;
    question.progress_user = &steps;
    const auto result = plugin->ask(&kindred_descriptor::tune, &kindred_descriptor::tune_free,
                                    &std::as_const(question));
    return result ? Json::parse(view(result->json)) : Json::object();
  };
}

}  // namespace search_server
