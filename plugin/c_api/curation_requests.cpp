#include "plugin/c_api/curation_requests.h"

namespace kindred {

MatchingRequest read_matching_request(const kindred_matching_request* given) {
  if (given == nullptr) return {};
  const kindred_matching_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_IDS | KINDRED_TITLES, "request.flags");
  MatchingRequest out;
  out.query = read_string(request.query, "request.query");
  out.ids = (request.flags & KINDRED_IDS) != 0;
  out.titles = (request.flags & KINDRED_TITLES) != 0;
  out.offset = request.offset;
  out.limit = read_count(request.limit);
  return out;
}

SuspectsRequest read_suspects_request(const kindred_suspects_request* given) {
  if (given == nullptr) return {};
  const kindred_suspects_request request = read_struct(given, "request");
  SuspectsRequest out;
  out.query = read_string(request.query, "request.query");
  out.filter = read_string(request.filter, "request.filter");
  out.limit = read_count(request.limit).value_or(out.limit);
  out.on_progress = read_progress(request.progress, request.progress_user);
  return out;
}

std::vector<Example> read_documents(const kindred_example* examples, std::size_t count) {
  if (count != 0) require(examples, "examples");
  std::vector<Example> documents;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "examples[" + std::to_string(i) + "]";
    if (examples[i].kind != KINDRED_BY_ID && examples[i].kind != KINDRED_BY_DOCID) {
      throw Error(Errc::kInvalidArgument, name +
                                              ".kind: expected KINDRED_BY_ID or KINDRED_BY_DOCID "
                                              "(got " +
                                              std::to_string(examples[i].kind) + ")");
    }
    documents.push_back(read_example(examples[i], name));
  }
  return documents;
}

std::vector<DocumentEdit> read_edits(const kindred_edit* edits, std::size_t count) {
  if (count != 0) require(edits, "edits");
  std::vector<DocumentEdit> read;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "edits[" + std::to_string(i) + "].";
    read.push_back({std::string(read_string(edits[i].id, name + "id")),
                    read_tag_edit(edits[i].edit, edits[i].label, name)});
  }
  return read;
}

std::vector<std::string> read_ids(const kindred_string* ids, std::size_t count) {
  if (count != 0) require(ids, "ids");
  std::vector<std::string> read;
  for (std::size_t i = 0; i < count; ++i)
    read.emplace_back(read_string(ids[i], "ids[" + std::to_string(i) + "]"));
  return read;
}

MapRequest read_map_request(const kindred_map_request* given) {
  if (given == nullptr) return {};
  const kindred_map_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_PLACES | KINDRED_IDS, "request.flags");
  MapRequest out;
  out.places = (request.flags & KINDRED_PLACES) != 0;
  out.ids = (request.flags & KINDRED_IDS) != 0;
  out.query = read_string(request.query, "request.query");
  return out;
}

AnalyzeRequest read_analyze_request(const kindred_analyze_request* given) {
  require(given, "request");
  const kindred_analyze_request request = read_struct(given, "request");
  return {std::string(read_string(request.text, "request.text")),
          std::string(read_string(request.language, "request.language"))};
}

ParseRequest read_parse_request(const kindred_parse_request* given) {
  require(given, "request");
  const kindred_parse_request request = read_struct(given, "request");
  return {std::string(read_string(request.query, "request.query")),
          {.partial = request.partial != 0, .most_frequent = request.most_frequent}};
}

}  // namespace kindred
