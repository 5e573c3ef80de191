// The C ABI on top of the C++ face: each function checks its arguments, calls one method, and lays
// out the answer.
#include <xapian.h>
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "plugin/c_api/handle.h"
#include "plugin/c_api/requests.h"
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

/// Lays out answers, whose order is that of `results`.
void lay_out(const kindred::Engine& engine, std::vector<kindred::Classification> answers,
             kindred_classification** results) {
  const auto name_of = [&](const std::string& label) {
    return engine.label_name(label);
  };
  using Result = std::unique_ptr<kindred_classification, decltype(&kindred_classification_free)>;
  std::vector<Result> made;
  made.reserve(answers.size());
  for (kindred::Classification& answer : answers)
    made.emplace_back(kindred::make_result(std::move(answer), name_of),
                      kindred_classification_free);
  for (size_t i = 0; i < made.size(); ++i) results[i] = made[i].release();
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
  if (handle == nullptr) return;
  // The host may be unwinding its stack; an Ingest would then drop what waits.
  guard([&] {
    handle->commit(true);
  });
  guard([&] {
    delete handle;
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

kindred_errc kindred_ask(kindred_handle* handle, const char* question, size_t question_size,
                         const char* request, size_t request_size, kindred_progress progress,
                         void* user, kindred_answer** answer) {
  return guard([&] {
    kindred::require(handle, "handle");
    std::string made = handle->ask(kindred::read_string({question, question_size}, "question"),
                                   kindred::read_string({request, request_size}, "request"),
                                   kindred::read_progress(progress, user));
    if (answer != nullptr) *answer = kindred::make_result(std::move(made));
  });
}

void kindred_answer_free(kindred_answer* answer) { kindred::delete_result(answer); }

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
            result);
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
            results);
  });
}

void kindred_classification_free(kindred_classification* result) { kindred::delete_result(result); }

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

const kindred_descriptor* kindred_plugin(void) {
  static const kindred_descriptor descriptor = {sizeof(kindred_descriptor),
                                                KINDRED_ABI_VERSION,
                                                KINDRED_VERSION,
                                                kindred_last_error,
                                                kindred_open,
                                                kindred_close,
                                                kindred_refresh,
                                                kindred_related,
                                                kindred_related_free,
                                                kindred_classify,
                                                kindred_classify_batch,
                                                kindred_classification_free,
                                                kindred_ingest,
                                                kindred_commit,
                                                kindred_end_ingest,
                                                kindred_documents_changed,
                                                kindred_ask,
                                                kindred_answer_free};
  return &descriptor;
}

}  // extern "C"
