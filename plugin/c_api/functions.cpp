// The C ABI on top of the C++ face: each function checks its arguments, calls one method, and lays
// out the answer. Those of kindred_curation.h are in curation_functions.cpp.
#include <xapian.h>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "plugin/c_api/guard.h"
#include "plugin/c_api/handle.h"
#include "plugin/c_api/requests.h"
#include "plugin/c_api/results.h"
#include "plugin/kindred.h"

using kindred::guard;

namespace {

kindred::Log make_log(const kindred_open_options& options) {
  if (options.log == nullptr) return {};
  return [log = options.log, user = options.log_user](const std::string& message) {
    const std::string text = kindred::shown(message);
    log(user, text.c_str(), text.size());
  };
}

kindred_handle::OnDocument make_on_document(const kindred_open_options& options) {
  if (options.on_document == nullptr) return {};
  return [call = options.on_document,
          user = options.on_document_user](const kindred::DocumentReport& report) {
    std::vector<kindred_tag> tags;
    const kindred_document_report out = kindred::make_report(report, tags);
    call(user, &out);
  };
}

kindred_errc commit(kindred_handle* handle, kindred_ingest_report* report, bool end) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const kindred::IngestReport done = handle->commit(end);
    handle->engine.refresh();
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

/// The titles of the neighbors of all answers, one after the other.
template <typename Answer>
std::vector<std::string> neighbor_titles(const kindred::Engine& engine,
                                         const std::vector<Answer>& answers) {
  std::vector<Xapian::docid> docids;
  for (const Answer& answer : answers)
    for (const kindred::Voter& voter : answer.neighbors) docids.push_back(voter.docid);
  return engine.titles(docids);
}

/// Lays out answers, whose order is that of `results`, with the titles of their neighbors if these
/// are wanted.
void lay_out(const kindred::Engine& engine, std::vector<kindred::Classification> answers,
             bool with_titles, kindred_classification** results) {
  std::vector<std::string> all;
  if (with_titles) all = neighbor_titles(engine, answers);
  auto next = all.begin();
  std::vector<kindred::ResultPtr> made;
  made.reserve(answers.size());
  for (kindred::Classification& answer : answers) {
    const auto end = next + static_cast<std::ptrdiff_t>(with_titles ? answer.neighbors.size() : 0);
    std::vector<std::string> titles(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
    made.emplace_back(kindred::make_result(std::move(answer), std::move(titles)));
  }
  for (size_t i = 0; i < made.size(); ++i) results[i] = made[i].release();
}

/// Runs a run that writes, then refreshes the engine, also if the run was canceled: what it has
/// committed stays.
template <typename Run>
auto refreshed(kindred::Engine& engine, Run&& run) {
  try {
    auto report = run();
    engine.refresh();
    return report;
  } catch (const kindred::Error& e) {
    if (e.code() == kindred::Errc::kCanceled) engine.refresh();
    throw;
  }
}

/// Tunes, and stores the tuning unless nothing is to be stored. Null: nothing was due.
kindred::TuneResultPtr tune(kindred::Engine& engine, const kindred_tune_request& given) {
  const auto what = kindred::read_tune_request(given);
  const auto progress = kindred::read_progress(given);
  const bool if_due = (given.flags & KINDRED_IF_DUE) != 0;
  const bool store = (given.flags & KINDRED_DRY_RUN) == 0;
  const auto start = std::chrono::steady_clock::now();
  const auto report = if_due ? engine.tune_if_needed(progress) : engine.tune(what, progress);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!report) return nullptr;
  kindred::TuneResultPtr made(kindred::make_result(
      *report, store ? kindred::tuning_path(engine.location()) : std::string(), took.count()));
  if (store && !if_due) engine.store_tuning(report->tuning);
  if (store) engine.refresh();
  return made;
}

}  // namespace

extern "C" {

const char* kindred_last_error(void) { return kindred::last_error(); }

kindred_errc kindred_open(const char* database, size_t database_size,
                          const kindred_open_options* options, kindred_handle** handle) {
  return guard([&] {
    kindred::require(handle, "handle");
    const std::string path = kindred::read_path({database, database_size}, "database");
    const kindred_open_options defaults = KINDRED_OPEN_OPTIONS_INIT;
    const auto given = kindred::read_struct(options ? options : &defaults, "options");
    const kindred::Settings settings = kindred::read_settings(given);
    if ((given.flags & KINDRED_CREATE) != 0) kindred::create_database(path, settings);
    *handle =
        std::make_unique<kindred_handle>(path, settings, make_log(given), make_on_document(given),
                                         (given.flags & KINDRED_HOST_TUNES) != 0)
            .release();
  });
}

void kindred_close(kindred_handle* handle) {
  guard([&] { delete handle; });
}

kindred_errc kindred_get_status(const kindred_handle* handle, kindred_status* status) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(status, "status");
    kindred::check_output(status, "status");
    kindred::write_struct(kindred::make_status(handle->engine.status()), status);
  });
}

kindred_errc kindred_refresh(kindred_handle* handle, int* changed) {
  return guard([&] {
    kindred::require(handle, "handle");
    const bool moved = handle->engine.refresh();
    if (changed != nullptr) *changed = moved ? 1 : 0;
  });
}

kindred_errc kindred_documents_changed(kindred_handle* handle, const uint32_t* docids, size_t count,
                                       int* changed) {
  return guard([&] {
    kindred::require(handle, "handle");
    if (count > 0) kindred::require(docids, "docids");
    const std::span<const Xapian::docid> documents(docids, count);
    if (std::find(documents.begin(), documents.end(), 0) != documents.end())
      throw kindred::Error(kindred::Errc::kInvalidArgument, "docids: expected numbers from 1 on");
    const bool moved = handle->engine.refresh(documents);
    if (changed != nullptr) *changed = moved ? 1 : 0;
  });
}

kindred_errc kindred_save_mirror(const kindred_handle* handle) {
  return guard([&] {
    kindred::require(handle, "handle");
    handle->engine.save_mirror();
  });
}

kindred_errc kindred_related(const kindred_handle* handle, const kindred_related_request* request,
                             kindred_related_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(result, "result");
    *result = kindred::make_result(handle->engine.related(kindred::read_related_request(request)));
  });
}

void kindred_related_free(kindred_related_result* result) { kindred::delete_result(result); }

kindred_errc kindred_classify(const kindred_handle* handle, const kindred_example* example,
                              const kindred_classify_request* request,
                              kindred_classification** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(example, "example");
    kindred::require(result, "result");
    lay_out(handle->engine,
            handle->engine.classify(std::vector{kindred::read_example(*example, "example")},
                                    kindred::read_classify_request(request)),
            kindred::wants_titles(request), result);
  });
}

kindred_errc kindred_classify_batch(const kindred_handle* handle, const kindred_example* records,
                                    size_t count, const kindred_classify_request* request,
                                    kindred_classification** results) {
  return guard([&] {
    kindred::require(handle, "handle");
    if (count != 0) kindred::require(records, "records");
    if (count != 0) kindred::require(results, "results");
    lay_out(handle->engine,
            handle->engine.classify(kindred::read_records(records, count),
                                    kindred::read_classify_request(request)),
            kindred::wants_titles(request), results);
  });
}

void kindred_classification_free(kindred_classification* result) { kindred::delete_result(result); }

kindred_errc kindred_train_topics(kindred_handle* handle, const kindred_train_request* request,
                                  kindred_topics_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    const kindred_train_request defaults = KINDRED_TRAIN_REQUEST_INIT;
    const auto given = kindred::read_struct(request ? request : &defaults, "request");
    const auto map = handle->engine.train_topics(kindred::read_train_request(given),
                                                 kindred::read_progress(given));
    if (result != nullptr) *result = kindred::make_result(map);
  });
}

kindred_errc kindred_tune(kindred_handle* handle, const kindred_tune_request* request,
                          kindred_tune_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    const kindred_tune_request defaults = KINDRED_TUNE_REQUEST_INIT;
    const auto given = kindred::read_struct(request ? request : &defaults, "request");
    kindred::TuneResultPtr made = tune(handle->engine, given);
    if (result != nullptr) *result = made.release();
  });
}

void kindred_tune_free(kindred_tune_result* result) { kindred::delete_result(result); }

kindred_errc kindred_topics(const kindred_handle* handle, kindred_topics_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(result, "result");
    *result = kindred::make_result(handle->engine.topic_map());
  });
}

void kindred_topics_free(kindred_topics_result* result) { kindred::delete_result(result); }

kindred_errc kindred_topic_of(const kindred_handle* handle, const kindred_example* example,
                              kindred_topic_place* place) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(example, "example");
    kindred::require(place, "place");
    kindred::check_output(place, "place");
    const auto found = handle->engine.topic_of(kindred::read_example(*example, "example"));
    kindred::write_struct(kindred::make_place(found), place);
  });
}

kindred_errc kindred_assign_topics(kindred_handle* handle, const kindred_assign_request* request,
                                   kindred_assign_report* report) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const auto what = kindred::read_assign_request(request);
    const auto done = refreshed(handle->engine, [&] { return handle->assign(what); });
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_store_related(kindred_handle* handle,
                                   const kindred_store_related_request* request,
                                   kindred_store_related_report* report) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const auto what = kindred::read_store_related_request(request);
    const auto done = refreshed(handle->engine, [&] { return handle->store_related(what); });
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_ingest(kindred_handle* handle, const char* json, size_t json_size,
                            kindred_ingest_report* report) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const auto done = handle->add(kindred::read_string({json, json_size}, "json"));
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_commit(kindred_handle* handle, kindred_ingest_report* report) {
  return commit(handle, report, false);
}

kindred_errc kindred_end_ingest(kindred_handle* handle, kindred_ingest_report* report) {
  return commit(handle, report, true);
}

kindred_errc kindred_tag_documents(kindred_handle* handle, const kindred_tag_request* request,
                                   kindred_tag_report* report) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const auto what = kindred::read_tag_request(request);
    const auto done = refreshed(handle->engine, [&] { return handle->tag(what); });
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_edit_tag(kindred_handle* handle, const char* id, size_t id_size, int32_t edit,
                              const char* label, size_t label_size) {
  return guard([&] {
    kindred::require(handle, "handle");
    const kindred::DocumentEdit what = {std::string(kindred::read_string({id, id_size}, "id")),
                                        kindred::read_tag_edit(edit, {label, label_size}, "")};
    handle->edit({&what, 1});
    handle->engine.refresh();
  });
}

kindred_errc kindred_duplicates(const kindred_handle* handle,
                                const kindred_duplicates_request* request,
                                kindred_duplicates_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(result, "result");
    *result =
        kindred::make_result(handle->engine.duplicates(kindred::read_duplicates_request(request)));
  });
}

void kindred_duplicates_free(kindred_duplicates_result* result) { kindred::delete_result(result); }

kindred_errc kindred_candidates(const kindred_handle* handle,
                                const kindred_candidates_request* request,
                                kindred_candidates_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(result, "result");
    auto report = handle->engine.candidates(kindred::read_candidates_request(request));
    std::vector<std::string> titles;
    if (kindred::wants_titles(request)) titles = neighbor_titles(handle->engine, report.candidates);
    *result = kindred::make_result(std::move(report), std::move(titles));
  });
}

void kindred_candidates_free(kindred_candidates_result* result) { kindred::delete_result(result); }

const kindred_descriptor* kindred_plugin(void) {
  static const kindred_descriptor descriptor = {sizeof(kindred_descriptor),
                                                KINDRED_ABI_VERSION,
                                                KINDRED_VERSION,
                                                kindred_last_error,
                                                kindred_open,
                                                kindred_close,
                                                kindred_get_status,
                                                kindred_refresh,
                                                kindred_related,
                                                kindred_related_free,
                                                kindred_classify,
                                                kindred_classify_batch,
                                                kindred_classification_free,
                                                kindred_ingest,
                                                kindred_commit,
                                                kindred_end_ingest,
                                                kindred_tag_documents,
                                                kindred_edit_tag,
                                                kindred_train_topics,
                                                kindred_topics,
                                                kindred_topics_free,
                                                kindred_topic_of,
                                                kindred_assign_topics,
                                                kindred_tune,
                                                kindred_tune_free,
                                                kindred_duplicates,
                                                kindred_duplicates_free,
                                                kindred_documents_changed,
                                                kindred_save_mirror,
                                                kindred_candidates,
                                                kindred_candidates_free,
                                                kindred_store_related,
                                                kindred_labels,
                                                kindred_labels_free,
                                                kindred_matching,
                                                kindred_matching_free,
                                                kindred_documents,
                                                kindred_documents_free,
                                                kindred_edit_tags,
                                                kindred_delete_documents,
                                                kindred_suspects,
                                                kindred_suspects_free,
                                                kindred_map,
                                                kindred_map_free,
                                                kindred_json_free,
                                                kindred_evaluate,
                                                kindred_class_geometry,
                                                kindred_get_settings,
                                                kindred_analyze,
                                                kindred_analysis_free,
                                                kindred_get_shards,
                                                kindred_parse_query,
                                                kindred_query_free};
  return &descriptor;
}

}  // extern "C"
