#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/json.h"
#include "http/request.h"

namespace search_server {

/// The JSON object of a body of at most `limit` bytes. @throws Problem 400 if it is none, with the
/// byte; 413; 415 if the Content-Type is another than application/json.
Json read_object(const Request& request, std::size_t limit);

/// The media type of the body, without parameters, in lower case.
std::string media_type(const Request& request);

/// Reads the members of an object strictly, as ParameterReader does parameters. `where` precedes
/// names in messages: "like[0].". The object is borrowed.
class MemberReader {
 public:
  explicit MemberReader(const Json& object, std::string where = "");

  /// The member; null if there is none.
  const Json* any(const std::string& name);
  std::optional<std::string> text(const std::string& name, std::size_t least, std::size_t most);
  std::int64_t integer(const std::string& name, std::int64_t otherwise, std::int64_t least,
                       std::int64_t most);
  double number(const std::string& name, double otherwise, double least, double most);
  bool flag(const std::string& name, bool otherwise);
  /// One of these words; `otherwise` if there is none.
  std::string word(const std::string& name, const std::string& otherwise,
                   const std::vector<std::string>& words);
  /// At most `count` texts of 1 to `most` bytes.
  std::vector<std::string> texts(const std::string& name, std::size_t count, std::size_t most);
  /// The elements of a list of at most `count`; empty if there is none.
  std::vector<const Json*> list(const std::string& name, std::size_t count);

  void done() const;

  [[noreturn]] void refuse(const std::string& name, const std::string& fault) const;

 private:
  const Json& object_;
  const std::string where_;
  std::vector<std::string> known_;
};

}  // namespace search_server
