// The questions that change an index, or what is kept beside it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "config/private_folder.h"
#include "plugin/ask/asking.h"
#include "plugin/learning.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/writable_database.h"
#include "plugin/tune/expected_accuracy.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/deletion.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"

namespace kindred {
namespace {

api::EditedDocument edited_of(const StoredDocument& document) {
  std::vector<std::string> predicted;
  for (const Tag& tag : document.predicted) predicted.push_back(tag.label);
  std::ranges::sort(predicted);
  return {document.id, document.labels, std::move(predicted), document.rejected, document.auto_tag};
}

/// Removes the tuning of an index, which then stays untuned.
bool remove_tuning_of(const AskedIndex& index) {
  const std::string location = file_location(index.path, index.settings.index.directory);
  check_owner_of_files(index.path, index.settings);
  const bool removed = remove_tuning(location);
  if (removed && !index.settings.index.read_only) remember_file(index.path, "tuning", false);
  std::error_code fault;
  if (!removed && !std::filesystem::exists(index.path, fault))
    throw Error(Errc::kNotFound,
                index.path + ": " + (fault ? fault.message() : "no such database"));
  if (can_write_beside(location)) keep_untuned(location);
  return removed;
}

/// How many documents would get other tags by a tuning that is not stored: those of another engine,
/// whose files lie elsewhere.
std::uint64_t count_changes(Asking& asking, const Tuning& tuning) {
  const PrivateFolder folder;
  Settings settings = asking.engine().settings();
  settings.index.directory = folder.path();
  write_tuning(file_location(asking.index.path, folder.path()), tuning);
  Engine engine(asking.index.path, settings);
  TagRequest request;
  request.dry_run = true;
  request.on_progress = asking.running();
  return tag_documents(engine, request).changed;
}

}  // namespace

api::TuneAnswer answer(Asking& asking, const api::TuneRequest& asked) {
  const std::array<bool, 3> ways = {asked.remove, asked.if_due, asked.dry_run};
  if (std::ranges::count(ways, true) > 1)
    throw Error(Errc::kInvalidArgument, "tune: expected only one of remove, if_due and dry_run");
  if (asked.remove) {
    api::TuneAnswer answer;
    answer.removed = remove_tuning_of(asking.index);
    return answer;
  }

  const Engine& engine = asking.engine();
  const bool stores = !asked.if_due && !asked.dry_run;
  if (stores)
    check_owner_of_files(asking.index.path, engine.settings());  // before it takes minutes
  const OnTuning on_tuning = asking.learning();
  TuneRequest request;
  request.filter = asked.filter;
  request.groups = asked.groups;
  request.documents = static_cast<std::uint64_t>(asked.documents);
  request.seed = static_cast<std::uint64_t>(asked.seed);
  request.goal = asked.goal;

  // Learned here, what terms weigh has its own progress.
  if (!asked.if_due && tunes_by_few(engine, request))
    learn_lift_if_needed(engine, LiftFor::kTags, on_tuning);
  const Reading& reading = asking.reading();
  const auto report = asked.if_due ? tune_if_needed(reading, on_tuning)
                                   : std::optional(tune(reading, request, on_tuning));

  auto answer = asking.answer<api::TuneAnswer>();
  if (!report) return answer;
  answer.tuned = true;
  answer.tuning = used_tuning(report->tuning);
  answer.file.emplace();
  if (asked.if_due) answer.file = tuning_path(reading.database().location());
  if (stores) answer.file = store_tuning(reading, report->tuning);

  // What nothing was measured of is promised nothing.
  answer.expected_accuracy = 0;
  if (const auto expected = expected_accuracy(*report)) {
    answer.expected_accuracy = expected->least;
    answer.expected_at_most = expected->most;
  }
  answer.drift = report->drift;
  answer.siblings = report->siblings;
  answer.alone = report->alone;

  if (asked.dry_run && asked.changes) answer.changed = count_changes(asking, report->tuning);
  return answer;
}

api::TagAnswer answer(Asking& asking, const api::TagRequest& asked) {
  TagRequest request;
  request.query = asked.query;
  request.pending = asked.pending;
  request.dry_run = asked.dry_run;
  request.sample = static_cast<std::size_t>(asked.sample);
  request.restart = asked.restart;
  request.allow_all = asked.allow_all;
  request.tune = asking.index.tunes;
  request.who = asked.who;
  request.on_progress = asking.running();
  TagReport report = tag_documents(asking.engine(), request);

  api::TagAnswer answer;
  static_cast<Origin&>(answer) = report;
  static_cast<api::Run&>(answer) = report;
  answer.dry_run = asked.dry_run;
  answer.tagged = report.tagged;
  answer.labeled = report.labeled;
  answer.opted_out = report.opted_out;
  answer.changed = report.changed;
  answer.given = report.given;
  answer.taken_off = report.taken_off;
  answer.rejected = report.rejected;
  answer.allowed = report.allowed;
  answer.sample = std::move(report.sample);
  answer.tuning_unused = asking.reading().unused_tuning();
  answer.run = report.run;
  return answer;
}

api::EditAnswer answer(Asking& asking, const api::EditRequest& asked) {
  for (std::size_t i = 0; i < asked.edits.size(); ++i) {
    if (asked.edits[i].id.has_value() != asked.edits[i].docid.has_value()) continue;
    throw Error(Errc::kInvalidArgument,
                "edit.edits[" + std::to_string(i) + "]: expected either id or docid");
  }
  const api::DocumentsAnswer edited =
      edit_documents(asking.index.path, asking.index.settings, asked.edits, asked.who);
  api::EditAnswer answer{edited, {}};
  for (const StoredDocument& document : edited.documents)
    answer.documents.push_back(edited_of(document));
  return answer;
}

api::EditLabelAnswer answer(Asking& asking, const api::EditLabelRequest& asked) {
  LabelEdit edit;
  static_cast<api::EditLabelRequest&>(edit) = asked;
  edit.on_progress = [&](std::uint64_t done, std::uint64_t all) {
    asking.step({"", done, all});
  };
  const LabelChange change = edit_label(asking.index.path, asking.index.settings, edit);
  return {{}, edit.dry_run, change.documents, change.merged, change.run};
}

api::DeleteAnswer answer(Asking& asking, const api::DeleteRequest& asked) {
  auto answer = asking.answer<api::DeleteAnswer>();
  const DeletionReport report = delete_documents(asking.engine(), asked.ids, asked.docids);
  answer.deleted = report.deleted;
  answer.unknown = report.unknown;
  return answer;
}

api::StoreRelatedAnswer answer(Asking& asking, const api::StoreRelatedRequest& asked) {
  StoreRelatedRequest request;
  static_cast<api::StoreRelatedRequest&>(request) = asked;
  learn_lift_if_needed(asking.engine(), LiftFor::kRelated, asking.learning());
  request.on_progress = asking.running();
  const RunReport report = store_related(asking.engine(), request);
  const std::int64_t slot = asking.engine().settings().related.slot;
  return {report, report, static_cast<std::uint64_t>(slot)};
}

api::SaveMirrorAnswer answer(Asking& asking, const api::SaveMirrorRequest&) {
  return asking.engine().save_mirror();
}

}  // namespace kindred
