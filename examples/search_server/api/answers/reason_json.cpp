#include "api/answers/reason_json.h"

#include <algorithm>

#include "api/answers/document_json.h"

namespace search_server {
namespace {

/// Of the voters for a tag, the nearest ones.
constexpr std::size_t kMostVoters = 10;

}  // namespace

Json reason_json(const Json& reason, const Json& neighbors) {
  Json voters = Json::array();
  if (reason.is_null()) return {{"voters", voters}, {"terms", Json::array()}};
  for (const Json& voter : reason["voters"]) {
    if (voters.size() == kMostVoters) break;
    const auto neighbor = std::find_if(neighbors.begin(), neighbors.end(),
                                       [&](const Json& each) { return each["id"] == voter["id"]; });
    voters.push_back({{"id", read_name(voter["id"])},
                      {"title", neighbor->value("title", "")},
                      {"similarity", (*neighbor)["similarity"]},
                      {"share", voter["share"]}});
  }
  return {{"voters", std::move(voters)}, {"terms", terms_json(reason["terms"])}};
}

}  // namespace search_server
