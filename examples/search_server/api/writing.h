#pragma once

#include "api/app.h"
#include "http/request.h"

namespace search_server {

/// Does work that writes in the thread that writes, and waits for it. @throws Problem 503 if its
/// turn does not come before the deadline of the request: then nothing is written; what it throws.
void write(App& app, const Request& request, const WriteTask::Work& work);

/// Ingests one record, and waits until it is on disk. @throws as write(); Problem 400 if the record
/// is refused.
IngestOutcome ingest(App& app, const Request& request, std::string record);

/// A task that was handed in. @throws Problem 503 if it is none.
std::shared_ptr<WriteTask> accepted(std::shared_ptr<WriteTask> task);

}  // namespace search_server
