// The functions of kindred_curation.h, as functions.cpp has those of kindred.h.
#include <string>
#include <vector>

#include "plugin/c_api/curation_requests.h"
#include "plugin/c_api/curation_results.h"
#include "plugin/c_api/guard.h"
#include "plugin/c_api/handle.h"
#include "plugin/evaluate/evaluation_json.h"
#include "plugin/kindred.h"

using kindred::guard;

namespace {

/// What a question about a handle gives. Both pointers are checked.
template <typename Result, typename Answer>
kindred_errc answer(const kindred_handle* handle, Result** result, Answer&& ask) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::require(result, "result");
    *result = ask(handle->engine);
  });
}

kindred_map_result* draw_map(const kindred::Engine& engine, const kindred::MapRequest& request) {
  if (request.places) return kindred::make_result(engine.placed_documents(request.query), request);
  return kindred::make_result({engine.topic_map(), engine.status().revision, {}}, request);
}

}  // namespace

extern "C" {

kindred_errc kindred_labels(const kindred_handle* handle, kindred_labels_result** result) {
  return answer(handle, result, [](const kindred::Engine& engine) {
    return kindred::make_result(engine.label_counts());
  });
}

void kindred_labels_free(kindred_labels_result* result) { kindred::delete_result(result); }

kindred_errc kindred_matching(const kindred_handle* handle, const kindred_matching_request* request,
                              kindred_matching_result** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    return kindred::make_result(engine.matching(kindred::read_matching_request(request)));
  });
}

void kindred_matching_free(kindred_matching_result* result) { kindred::delete_result(result); }

kindred_errc kindred_documents(const kindred_handle* handle, const kindred_example* examples,
                               size_t count, kindred_documents_result** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    return kindred::make_result(engine.documents(kindred::read_documents(examples, count)));
  });
}

void kindred_documents_free(kindred_documents_result* result) { kindred::delete_result(result); }

kindred_errc kindred_edit_tags(kindred_handle* handle, const kindred_edit* edits, size_t count,
                               kindred_documents_result** result) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::StoredDocuments edited = handle->edit(kindred::read_edits(edits, count));
    handle->engine.refresh();
    if (result != nullptr) *result = kindred::make_result(std::move(edited));
  });
}

kindred_errc kindred_delete_documents(kindred_handle* handle, const kindred_string* ids,
                                      size_t count, kindred_delete_report* report) {
  return guard([&] {
    kindred::require(handle, "handle");
    kindred::check_output(report, "report");
    const kindred::DeletionReport done = handle->remove(kindred::read_ids(ids, count));
    handle->engine.refresh();
    if (report != nullptr) kindred::write_struct(kindred::make_report(done), report);
  });
}

kindred_errc kindred_suspects(const kindred_handle* handle, const kindred_suspects_request* request,
                              kindred_suspects_result** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    return kindred::make_result(engine.suspects(kindred::read_suspects_request(request)));
  });
}

void kindred_suspects_free(kindred_suspects_result* result) { kindred::delete_result(result); }

kindred_errc kindred_map(const kindred_handle* handle, const kindred_map_request* request,
                         kindred_map_result** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    return draw_map(engine, kindred::read_map_request(request));
  });
}

void kindred_map_free(kindred_map_result* result) { kindred::delete_result(result); }

void kindred_json_free(kindred_json* result) { kindred::delete_result(result); }

kindred_errc kindred_get_settings(const kindred_handle* handle, kindred_json** result) {
  return answer(handle, result, [](const kindred::Engine& engine) {
    return kindred::make_json(nlohmann::ordered_json::parse(settings_json(engine.settings())));
  });
}

kindred_errc kindred_get_shards(const kindred_handle* handle, kindred_json** result) {
  return answer(handle, result, [](const kindred::Engine& engine) {
    const kindred::Status status = engine.status();
    nlohmann::ordered_json shards = nlohmann::ordered_json::array();
    const auto add = [&](const std::string& uuid, std::uint64_t revision) {
      shards.push_back({{"uuid", uuid}, {"revision", revision}});
    };
    if (!status.shards) add(status.uuid, status.revision);
    if (status.shards)
      for (const kindred::ShardRevision& shard : *status.shards) add(shard.uuid, shard.revision);
    return kindred::make_json({{"revision", status.revision}, {"shards", std::move(shards)}});
  });
}

kindred_errc kindred_analyze(const kindred_handle* handle, const kindred_analyze_request* request,
                             kindred_analysis** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    const kindred::AnalyzeRequest text = kindred::read_analyze_request(request);
    return kindred::make_result(engine.analyze(text.text, text.language));
  });
}

void kindred_analysis_free(kindred_analysis* result) { kindred::delete_result(result); }

kindred_errc kindred_parse_query(const kindred_handle* handle, const kindred_parse_request* request,
                                 kindred_query** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    const kindred::ParseRequest asked = kindred::read_parse_request(request);
    return kindred::make_result(engine.parse(asked.query, asked.style));
  });
}

void kindred_query_free(kindred_query* result) { kindred::delete_result(result); }

kindred_errc kindred_evaluate(const kindred_handle* handle, const kindred_evaluate_request* request,
                              kindred_json** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    return kindred::make_json(kindred::evaluate(engine, request));
  });
}

kindred_errc kindred_class_geometry(const kindred_handle* handle, kindred_progress progress,
                                    void* progress_user, kindred_json** result) {
  return answer(handle, result, [&](const kindred::Engine& engine) {
    return kindred::make_json(kindred::class_geometry_json(
        engine.class_geometry(kindred::read_progress(progress, progress_user))));
  });
}

}  // extern "C"
