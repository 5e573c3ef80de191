#include "api/writing.h"

#include <utility>

#include "api/guarded.h"

namespace search_server {
namespace {

IngestOutcome waited_for(WriteTask& task, const Request& request) {
  if (auto outcome = task.wait(request.deadline)) return *std::move(outcome);
  throw busy("busy", "others write for too long; nothing has changed");
}

}  // namespace

std::shared_ptr<WriteTask> accepted(std::shared_ptr<WriteTask> task) {
  if (task) return task;
  throw busy("busy", "too much waits to be written; nothing has changed");
}

void write(App& app, const Request& request, const WriteTask::Work& work) {
  app.plugin();  // or it is too early
  const auto task = accepted(app.writer().run(work, request.deadline));
  const TimeSpent spent(request.timings.plugin);
  waited_for(*task, request);
}

IngestOutcome ingest(App& app, const Request& request, std::string record) {
  app.plugin();
  const auto task =
      accepted(app.writer().ingest(std::move(record), Writer::kPeople, request.deadline));
  const TimeSpent spent(request.timings.plugin);
  IngestOutcome outcome = waited_for(*task, request);
  if (outcome.kind != IngestOutcome::Kind::kRefused) return outcome;
  throw Problem(400, "record-refused", outcome.reason);
}

}  // namespace search_server
