#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/app.h"

namespace search_server {

/// What the records of a body have, and their keys that nobody reads. For one thread.
class RecordKeys {
 public:
  /// Both are borrowed.
  RecordKeys(App& app, const Request& request) : app_(app), request_(request) {}

  /// What is no record counts nothing.
  void count(const std::string& json);

  bool has_words() const { return worded_ > 0; }

  /// Members of the outcome; none if all keys are read.
  Json told() const;

  /// @throws Problem 400 if there are records, and none has words.
  void require_words() const;

 private:
  const std::set<std::string>& body();
  std::vector<std::string> wanted() const;

  App& app_;
  const Request& request_;
  std::optional<std::set<std::string>> body_;
  std::uint64_t records_ = 0;
  std::uint64_t worded_ = 0;
  std::uint64_t texts_ = 0;  ///< records with words that are no title
  std::uint64_t labeled_ = 0;
  std::map<std::string, std::uint64_t> unread_;
};

}  // namespace search_server
