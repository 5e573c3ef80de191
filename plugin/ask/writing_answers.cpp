// The questions that change an index, or what is kept beside it.
#include <filesystem>
#include <utility>

#include "config/private_folder.h"
#include "plugin/ask/asking.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/deletion.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"

namespace kindred {
namespace {

Json sample_json(const std::vector<TagChange>& changes) {
  return list_of(changes, [](const TagChange& change) -> Json {
    return {{"id", written_name(change.id)},
            {"docid", change.docid},
            {"given", tags_json(change.given)},
            {"taken_off", names_json(change.taken_off)}};
  });
}

DocumentEdit read_edit(const Json& given) {
  DocumentEdit edit;
  if (given.contains("id")) edit.id = read_name(given["id"].get<std::string>());
  if (given.contains("docid")) edit.docid = given["docid"].get<Xapian::docid>();
  edit.edit.remove = read_names(given["remove"]);
  edit.edit.allow = read_names(given["allow"]);
  edit.edit.clear_labels = given["clear_labels"].get<bool>();
  edit.edit.take_back = read_names(given["remove_labels"]);
  edit.edit.give = read_names(given["add_labels"]);
  if (given.contains("auto_tag")) edit.edit.auto_tag = given["auto_tag"].get<bool>();
  return edit;
}

Json edited_json(const StoredDocument& document) {
  std::vector<std::string> predicted;
  for (const Tag& tag : document.predicted) predicted.push_back(tag.label);
  std::ranges::sort(predicted);
  return {{"id", written_name(document.id)},
          {"labels", names_json(document.labels)},
          {"predicted", names_json(predicted)},
          {"rejected", names_json(document.rejected)},
          {"auto_tag", document.auto_tag}};
}

/// Removes the tuning of an index, which then stays untuned.
Json remove_tuning_of(const AskedIndex& index) {
  const std::string location = file_location(index.path, index.settings.index.directory);
  check_owner_of_files(index.path, index.settings);
  const bool removed = remove_tuning(location);
  if (removed && !index.settings.index.read_only) remember_file(index.path, "tuning", false);
  std::error_code fault;
  if (!removed && !std::filesystem::exists(index.path, fault))
    throw Error(Errc::kNotFound,
                index.path + ": " + (fault ? fault.message() : "no such database"));
  if (can_write_beside(location)) keep_untuned(location);
  return {{"tuned", false}, {"removed", removed}};
}

TuneRequest read_tune(const Asking& asking) {
  TuneRequest request;
  asking.read("filter", request.filter);
  asking.read("groups", request.groups);
  asking.read("documents", request.documents);
  asking.read("seed", request.seed);
  return request;
}

/// Of the files of a saved mirror.
std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) bytes += file.file_size();
  return bytes;
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

Json answer_tune(Asking& asking) {
  const bool if_due = asking.flag("if_due"), dry_run = asking.flag("dry_run");
  if (asking.flag("remove") + if_due + dry_run > 1)
    throw Error(Errc::kInvalidArgument, "tune: expected only one of remove, if_due and dry_run");
  if (asking.flag("remove")) return remove_tuning_of(asking.index);
  Engine& engine = asking.reading();
  if (!if_due && !dry_run)
    check_owner_of_files(asking.index.path, engine.settings());  // before it takes minutes
  const OnTuning on_tuning = [&](const std::string& doing, std::uint64_t documents) {
    asking.step({doing, documents, 0});
  };
  const auto report =
      if_due ? engine.tune_if_needed(on_tuning) : engine.tune(read_tune(asking), on_tuning);
  if (!report) return {{"tuned", false}};
  Json file;
  if (if_due) file = tuning_path(engine.location());
  if (!if_due && !dry_run) file = engine.store_tuning(report->tuning);
  Json answer = {
      {"tuned", true},          {"tuning", tuning_json(report->tuning)}, {"file", std::move(file)},
      {"drift", report->drift}, {"siblings", report->siblings},          {"alone", report->alone}};
  if (const auto expected = expected_accuracy(*report)) {
    answer["expected_accuracy"] = expected->least;
    answer["expected_at_most"] = expected->most;
  }
  if (dry_run && asking.flag("changes")) answer["changed"] = count_changes(asking, report->tuning);
  return answer;
}

Json answer_tag(Asking& asking) {
  TagRequest request;
  asking.read("query", request.query);
  asking.read("pending", request.pending);
  asking.read("dry_run", request.dry_run);
  asking.read("sample", request.sample);
  asking.read("restart", request.restart);
  asking.read("allow_all", request.allow_all);
  request.tune = asking.index.tunes;
  request.on_progress = asking.running();
  const TagReport report = tag_documents(asking.engine(), request);
  Json answer = {{"dry_run", request.dry_run}};
  add_run(report, answer);
  answer.update({{"tagged", report.tagged},
                 {"labeled", report.labeled},
                 {"opted_out", report.opted_out},
                 {"changed", report.changed},
                 {"given", report.given},
                 {"taken_off", report.taken_off},
                 {"rejected", report.rejected},
                 {"allowed", report.allowed},
                 {"sample", sample_json(report.sample)}});
  add_unused_tuning(asking, answer);
  asking.origin = report;
  return answer;
}

Json answer_edit(Asking& asking) {
  std::vector<DocumentEdit> edits;
  for (const Json& given : asking.request["edits"]) {
    if (given.contains("id") == given.contains("docid"))
      throw Error(Errc::kInvalidArgument,
                  "edit.edits[" + std::to_string(edits.size()) + "]: expected either id or docid");
    edits.push_back(read_edit(given));
  }
  const StoredDocuments edited = edit_documents(asking.index.path, asking.index.settings, edits);
  asking.origin = edited;
  return {{"documents", list_of(edited.documents, edited_json)}};
}

Json answer_edit_label(Asking& asking) {
  LabelEdit edit;
  edit.label = read_name(asking.text("label"));
  edit.name = read_name(asking.text("name"));
  asking.read("dry_run", edit.dry_run);
  edit.on_progress = [&](std::uint64_t done, std::uint64_t all) { asking.step({"", done, all}); };
  const LabelChange change = edit_label(asking.index.path, asking.index.settings, edit);
  return {{"dry_run", edit.dry_run}, {"documents", change.documents}, {"merged", change.merged}};
}

Json answer_delete(Asking& asking) {
  const DeletionReport report =
      delete_documents(asking.reading(), read_names(asking.request["ids"]),
                       asking.request["docids"].get<std::vector<Xapian::docid>>());
  return {{"deleted", report.deleted}, {"unknown", report.unknown}};
}

Json answer_store_related(Asking& asking) {
  StoreRelatedRequest request;
  asking.read("query", request.query);
  asking.read("filter", request.filter);
  asking.read("limit", request.k);
  asking.read("min_similarity", request.threshold);
  asking.read("restart", request.restart);
  request.on_progress = asking.running();
  const RunReport report = store_related(asking.engine(), request);
  asking.origin = report;
  Json answer = {{"slot", asking.engine().settings().related.slot}};
  add_run(report, answer);
  return answer;
}

Json answer_save_mirror(Asking& asking) {
  const SaveMirrorAnswer saved = asking.engine().save_mirror();
  asking.origin = saved;
  return {{"path", saved.path}, {"bytes", bytes_in(saved.path)}, {"documents", saved.documents}};
}

}  // namespace kindred
