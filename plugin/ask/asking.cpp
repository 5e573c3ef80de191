#include "plugin/ask/asking.h"

#include <utility>

#include "plugin/input/record.h"
#include "plugin/store/kept_files.h"
#include "plugin/vocabulary/vocabulary_file.h"
#include "questions_json.h"

namespace kindred {

Asking::Asking(const AskedIndex& asked, std::string name)
    : index(asked), question(std::move(name)) {
  if (index.on_step)
    pulse = Pulse([this] {
      step(latest);
    });
}

const Reading& Asking::reading() {
  if (!reading_) reading_.emplace(engine());
  return *reading_;
}

const Vocabulary* Asking::vocabulary() {
  // Where nothing was read yet, a look at the file may save the reading.
  if (!reading_) {
    const std::string location = file_location(index.path, index.settings.index.directory);
    if (location.empty() || vocabulary_stamp(location).empty()) return nullptr;
  }
  return reading().snapshot->vocabulary().get();
}

void Asking::step(const AskStep& step) {
  latest = step;
  if (!index.on_step || index.on_step(latest)) return;
  throw Error(Errc::kCanceled, question + ": canceled after " + std::to_string(latest.done) +
                                   (latest.all > 0 ? " of " + std::to_string(latest.all) : ""));
}

std::function<bool(std::uint64_t, std::uint64_t)> Asking::counting() {
  if (!index.on_step) return {};
  return [this](std::uint64_t done, std::uint64_t all) {
    latest = {"", done, all};
    return index.on_step(latest);
  };
}

ClassifyRequest voting_request(const api::Voting& asked) {
  ClassifyRequest request;
  static_cast<api::Voting&>(request) = asked;
  if (request.neighbors == 0) request.neighbors.reset();
  return request;
}

ClassifyRequest voting_request(const Json& request) {
  return voting_request(read_value<api::Voting>(request, ""));
}

Json tags_json(const std::vector<Tag>& tags) {
  return list_json(tags, {}, [](const Tag& tag) {
    return object_json(tag, {});
  });
}

}  // namespace kindred
