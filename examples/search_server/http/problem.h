#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "http/response.h"

namespace search_server {

/// A refusal that the client is told, as RFC 9457 has it. Thrown by handlers.
class Problem {
 public:
  /// `type` names the kind for programs, such as "document-not-found"; `detail` is a sentence for
  /// people, which names what was wrong and what was expected.
  Problem(int status, std::string type, std::string detail)
      : status_(status), type_(std::move(type)), detail_(std::move(detail)) {}

  int status() const { return status_; }
  const std::string& detail() const { return detail_; }

  /// Headers of the answer, such as Retry-After.
  Problem& with(std::string header, std::string value);

  /// application/problem+json with the members type, title, status, detail, instance, request_id.
  Response response(const std::string& instance, const std::string& request_id) const;

 private:
  int status_;
  std::string type_;
  std::string detail_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// 413, for a body of more than `limit` bytes; 0: one where none is taken.
Problem body_too_large(std::size_t limit);

}  // namespace search_server
