#include "api/answers/reason_json.h"

#include <algorithm>

#include "api/answers/document_json.h"
#include "plugin/handle.h"

namespace search_server {
namespace {

/// Of the voters for a tag, the nearest ones.
constexpr std::size_t kMostVoters = 10;

}  // namespace

Json reason_json(const kindred_reason* reason,
                 const std::map<std::string_view, std::string_view>& titles) {
  Json voters = Json::array();
  for (std::size_t i = 0; reason != nullptr && i < std::min(reason->voter_count, kMostVoters);
       ++i) {
    const kindred_neighbor& neighbor = *reason->voters[i].neighbor;
    const auto title = titles.find(view(neighbor.id));
    voters.push_back({{"id", view(neighbor.id)},
                      {"title", title == titles.end() ? "" : title->second},
                      {"similarity", double{neighbor.similarity}},
                      {"share", reason->voters[i].share}});
  }
  Json terms = reason != nullptr ? terms_json(reason->terms, reason->term_count) : Json::array();
  return {{"voters", std::move(voters)}, {"terms", std::move(terms)}};
}

}  // namespace search_server
