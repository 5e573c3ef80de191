#pragma once

#include <kindred/kindred.h>

#include <deque>
#include <string>
#include <vector>

#include "api/json.h"
#include "api/reading/members.h"

namespace search_server {

/// Examples as the plugin takes them, with the texts that they borrow.
class Examples {
 public:
  Examples() = default;
  Examples(const Examples&) = delete;
  Examples& operator=(const Examples&) = delete;

  void add_id(std::string id) { add(KINDRED_BY_ID, std::move(id)); }
  void add_docid(std::uint32_t docid) { examples_.push_back({KINDRED_BY_DOCID, docid, {}}); }
  void add_text(std::string text) { add(KINDRED_BY_TEXT, std::move(text)); }
  void add_record(const Json& record) { add(KINDRED_BY_JSON, to_text(record)); }

  /// One that is written as {"id"}, {"text"} or {"record"}: reads these members. `whole`: names the
  /// object in messages. @throws Problem 400 unless there is exactly one.
  void add(MemberReader& members, const std::string& whole);

  const kindred_example* data() const { return examples_.data(); }
  std::size_t size() const { return examples_.size(); }

 private:
  void add(kindred_example_kind kind, std::string value);

  std::deque<std::string> values_;  ///< does not move what it holds
  std::vector<kindred_example> examples_;
};

}  // namespace search_server
