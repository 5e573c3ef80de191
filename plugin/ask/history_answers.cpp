// The questions about the history of tags.
#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "config/error.h"
#include "plugin/ask/asking.h"
#include "plugin/history/history_time.h"
#include "plugin/history/tag_history.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/kept_files.h"
#include "plugin/writing/undo.h"

namespace kindred {
namespace {

/// What a step is called.
std::string step_name(const LabelStep& step) {
  const auto comes = [&](LabelState bit) {
    return (step.after & bit) != 0 && (step.before & bit) == 0;
  };
  const auto goes = [&](LabelState bit) {
    return (step.before & bit) != 0 && (step.after & bit) == 0;
  };

  // What people say goes before what is predicted.
  if (step.label.empty()) return comes(kRejectedState) ? "opted_out" : "opted_in";
  if (comes(kRejectedState)) return "rejected";
  if (comes(kGivenState)) return goes(kPredictedState) ? "accepted" : "given";
  if (goes(kGivenState)) return "taken_off";
  if (comes(kPredictedState)) return "predicted";
  return goes(kPredictedState) ? "dropped" : "allowed";
}

api::LogStep shown_step(const LabelStep& step) {
  api::LogStep shown;
  shown.step = step_name(step);
  if (!step.label.empty()) shown.label = step.label;
  if (step.is_predicted()) shown.confidence = step.confidence;
  return shown;
}

api::LogEdit shown_edit(const HistoryEntry& entry) {
  api::LogEdit edit;
  edit.edit = entry.number;
  edit.run = entry.block.run;
  edit.time = time_text(entry.block.milliseconds);
  edit.who = entry.block.who;
  edit.how = entry.block.how;
  edit.id = entry.change.id;
  for (const LabelStep& step : entry.change.labels) edit.steps.push_back(shown_step(step));
  return edit;
}

/// @throws Error kInvalidArgument.
std::optional<std::uint64_t> asked_time(const std::optional<std::string>& text, const char* key) {
  if (!text) return {};
  if (const auto time = parsed_time(*text, milliseconds_now())) return time;
  throw Error(Errc::kInvalidArgument,
              std::string("log.") + key +
                  ": expected a day such as 2026-11-29, a time such as 2026-11-29T08:30, or an age "
                  "such as 12h or 7d, found '" +
                  *text + "'");
}

/// Which edits a request asks for.
class LogFilter {
 public:
  explicit LogFilter(const api::LogRequest& asked)
      : asked_(asked),
        ids_(asked.ids.begin(), asked.ids.end()),
        since_(asked_time(asked.since, "since")),
        until_(asked_time(asked.until, "until")) {}

  bool has(const HistoryEntry& entry) const {
    const HistoryBlock& block = entry.block;
    if (asked_.run && block.run != static_cast<std::uint64_t>(*asked_.run)) return false;
    if (asked_.who && block.who != *asked_.who) return false;
    if (asked_.how && block.how != *asked_.how) return false;
    if (since_ && block.milliseconds < *since_) return false;
    if (until_ && block.milliseconds > *until_) return false;
    if (!ids_.empty() && !ids_.contains(entry.change.id)) return false;
    const auto is_asked = [&](const LabelStep& step) {
      return step.label == *asked_.label;
    };
    return !asked_.label || std::ranges::any_of(entry.change.labels, is_asked);
  }

 private:
  const api::LogRequest& asked_;
  const std::set<std::string> ids_;
  const std::optional<std::uint64_t> since_;
  const std::optional<std::uint64_t> until_;
};

}  // namespace

api::LogAnswer answer(Asking& asking, const api::LogRequest& asked) {
  const LogFilter filter(asked);
  const auto before = static_cast<std::uint64_t>(asked.before);
  const auto limit = static_cast<std::size_t>(asked.limit);

  api::LogAnswer answer;
  DatabaseReader reader(asking.index.path);
  const KeptFiles kept = reader.read(asking.index.path, [&](const Xapian::Database& database) {
    answer.revision = revision_of(database);
    return kept_files(database);
  });

  // Only the latest are kept, and one more, which tells that there are others.
  std::deque<api::LogEdit> latest;
  const std::string location =
      file_location(asking.index.path, asking.index.settings.index.directory);
  const HistorySummary summary = read_history(location, kept.uuids, [&](const HistoryEntry& entry) {
    asking.pulse();
    if (!answer.first) answer.first = entry.number;
    if (!filter.has(entry)) return;
    ++answer.found;
    if (before != 0 && entry.number >= before) return;
    latest.push_back(shown_edit(entry));
    if (latest.size() > limit + 1) latest.pop_front();
  });

  const bool has_more = latest.size() > limit;
  if (has_more) latest.pop_front();
  if (has_more) answer.next = latest.front().edit;
  answer.edits.assign(std::make_move_iterator(latest.rbegin()),
                      std::make_move_iterator(latest.rend()));
  answer.damaged = summary.damaged;
  answer.others = summary.others;
  return answer;
}

api::UndoAnswer answer(Asking& asking, const api::UndoRequest& asked) {
  UndoRequest request;
  static_cast<api::UndoRequest&>(request) = asked;
  request.on_progress = [&](std::uint64_t done, std::uint64_t all) {
    asking.step({"", done, all});
  };
  return undo_changes(asking.index.path, asking.index.settings, request);
}

}  // namespace kindred
