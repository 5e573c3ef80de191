#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plugin/answers/curation.h"
#include "plugin/answers/documents.h"
#include "plugin/c_api/requests.h"
#include "plugin/kindred.h"
#include "plugin/mirror/query_parser.h"
#include "plugin/writing/edits.h"

// What requests.h is for, for the functions of kindred_curation.h.
namespace kindred {

/// `request` may be NULL in all of these: all defaults.
MatchingRequest read_matching_request(const kindred_matching_request* request);
SuspectsRequest read_suspects_request(const kindred_suspects_request* request);

/// Documents of the index.
std::vector<Example> read_documents(const kindred_example* examples, std::size_t count);
std::vector<DocumentEdit> read_edits(const kindred_edit* edits, std::size_t count);
std::vector<std::string> read_ids(const kindred_string* ids, std::size_t count);

/// What is drawn of the map.
struct MapRequest {
  bool places = false;
  bool ids = false;
  std::string query;
};
MapRequest read_map_request(const kindred_map_request* request);

/// A text, and the language that it is in; "": that is found out. `request` must not be NULL.
struct AnalyzeRequest {
  std::string text;
  std::string language;
};
AnalyzeRequest read_analyze_request(const kindred_analyze_request* request);

/// `request` must not be NULL.
struct ParseRequest {
  std::string query;
  QueryStyle style;
};
ParseRequest read_parse_request(const kindred_parse_request* request);

}  // namespace kindred
