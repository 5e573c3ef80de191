// The C ABI on top of the C++ face: each function checks its arguments, calls one method, and lays
// out the answer. guard() is the only place in Kindred where an exception becomes a code.
#include <xapian.h>
#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "plugin/c_api/handle.h"
#include "plugin/c_api/requests.h"
#include "plugin/c_api/results.h"
#include "plugin/kindred.h"

using kindred::Errc;
using kindred::Error;

namespace {

constexpr bool same(kindred_errc c, Errc cpp) { return static_cast<int>(c) == int(cpp); }
static_assert(same(KINDRED_OK, Errc::kOk));
static_assert(same(KINDRED_INVALID_ARGUMENT, Errc::kInvalidArgument));
static_assert(same(KINDRED_NOT_FOUND, Errc::kNotFound));
static_assert(same(KINDRED_CORRUPT, Errc::kCorrupt));
static_assert(same(KINDRED_UNSUPPORTED, Errc::kUnsupported));
static_assert(same(KINDRED_OUT_OF_MEMORY, Errc::kOutOfMemory));
static_assert(same(KINDRED_DEVICE, Errc::kDevice));
static_assert(same(KINDRED_DATABASE, Errc::kDatabase));
static_assert(same(KINDRED_INTERNAL, Errc::kInternal));
static_assert(same(KINDRED_CANCELED, Errc::kCanceled));

thread_local std::string last_error;

kindred_errc fail(Errc code, std::string_view text) noexcept {
  try {
    last_error = kindred::shown(text);
  } catch (...) {  // there is no memory for the text: the host gets the code only
    last_error.clear();
  }
  return static_cast<kindred_errc>(code);
}

/// Runs body(). Any exception becomes a code, and a text for kindred_last_error().
template <typename Body>
kindred_errc guard(Body&& body) noexcept {
  try {
    body();
    return KINDRED_OK;
  } catch (const Error& e) {
    return fail(e.code(), e.what());
  } catch (const Xapian::Error& e) {  // not a std::exception: it needs its own clause
    try {
      return fail(Errc::kDatabase, e.get_description());
    } catch (...) {
      return fail(Errc::kDatabase, "Xapian failed");
    }
  } catch (const std::bad_alloc&) {
    return fail(Errc::kOutOfMemory, "out of memory");
  } catch (const std::exception& e) {
    return fail(Errc::kInternal, e.what());
  } catch (...) {
    return fail(Errc::kInternal, "unknown exception");
  }
}

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

}  // namespace

extern "C" {

const char* kindred_last_error(void) { return last_error.c_str(); }

kindred_errc kindred_open(const char* database, size_t database_size,
                          const kindred_open_options* options, kindred_handle** handle) {
  return guard([&] {
    kindred::require(handle, "handle");
    const std::string path = kindred::read_path({database, database_size}, "database");
    const kindred_open_options defaults = KINDRED_OPEN_OPTIONS_INIT;
    const auto given = kindred::read_struct(options ? options : &defaults, "options");
    const kindred::Settings settings = kindred::read_settings(given);
    if ((given.flags & KINDRED_CREATE) != 0) kindred::create_database(path, settings.index);
    *handle =
        std::make_unique<kindred_handle>(path, settings, make_log(given), make_on_document(given))
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
    *result = kindred::make_result(handle->engine.classify(
        kindred::read_example(*example, "example"), kindred::read_classify_request(request)));
  });
}

kindred_errc kindred_classify_batch(const kindred_handle* handle, const kindred_example* records,
                                    size_t count, const kindred_classify_request* request,
                                    kindred_classification** results) {
  return guard([&] {
    kindred::require(handle, "handle");
    if (count != 0) kindred::require(records, "records");
    if (count != 0) kindred::require(results, "results");
    auto answers = handle->engine.classify(kindred::read_records(records, count),
                                           kindred::read_classify_request(request));
    std::vector<kindred::ResultPtr> made;
    made.reserve(count);
    for (auto& answer : answers) made.emplace_back(kindred::make_result(std::move(answer)));
    for (size_t i = 0; i < made.size(); ++i) results[i] = made[i].release();
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
    const auto what = kindred::read_tune_request(given);
    const auto start = std::chrono::steady_clock::now();
    const auto report = handle->engine.tune(what, kindred::read_progress(given));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool store = (given.flags & KINDRED_DRY_RUN) == 0;
    kindred::TuneResultPtr made(kindred::make_result(
        report, store ? kindred::tuning_path(handle->engine.location()) : std::string(),
        took.count()));
    if (store) handle->engine.store_tuning(report.tuning);
    if (store) handle->engine.refresh();
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
    const auto done = handle->assign(kindred::read_assign_request(request));
    handle->engine.refresh();
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_store_related(kindred_handle* handle,
                                   const kindred_store_related_request* request,
                                   kindred_store_related_report* report) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const auto done = handle->store_related(kindred::read_store_related_request(request));
    handle->engine.refresh();
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
    const auto done = handle->tag(kindred::read_tag_request(request));
    handle->engine.refresh();
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_edit_tag(kindred_handle* handle, const char* id, size_t id_size, int32_t edit,
                              const char* label, size_t label_size) {
  return guard([&] {
    kindred::require(handle, "handle");
    const auto what = kindred::read_tag_edit(edit, {label, label_size});
    handle->edit_tags(std::string(kindred::read_string({id, id_size}, "id")), what);
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
    *result =
        kindred::make_result(handle->engine.candidates(kindred::read_candidates_request(request)));
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
                                                kindred_store_related};
  return &descriptor;
}

}  // extern "C"
