#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace search_server {

/// Reads the parameters of a query strictly. Every name that is read is known; done() refuses the
/// others. @throws Problem 400 that names the parameter, what it was and what was expected.
class ParameterReader {
 public:
  explicit ParameterReader(const Request& request) : request_(request) {}

  /// At most `most` bytes. Given at most once, as the numbers and flags below.
  std::string text(const std::string& name, std::string otherwise, std::size_t most);
  std::int64_t integer(const std::string& name, std::int64_t otherwise, std::int64_t least,
                       std::int64_t most);
  double number(const std::string& name, double otherwise, double least, double most);
  bool flag(const std::string& name, bool otherwise);

  /// Given at most 32 times; each value has at least one and at most `most` bytes.
  std::vector<std::string> texts(const std::string& name, std::size_t most);
  std::vector<std::int64_t> integers(const std::string& name, std::int64_t least,
                                     std::int64_t most);

  /// Refuses parameters that were not read, with the nearest name that is known.
  void done() const;

 private:
  void know(const std::string& name, std::size_t most);

  const Request& request_;
  std::vector<std::string> known_;
};

}  // namespace search_server
