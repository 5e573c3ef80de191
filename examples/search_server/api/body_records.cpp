#include "api/body_records.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/app.h"

namespace search_server {
namespace {

/// The lines of a body but those that are blank.
NextRecord lines_of(std::string_view body, const kindred::FieldMap& map) {
  return [rest = body, number = std::uint64_t{0}, map]() mutable {
    std::optional<kindred::RecordLine> record;
    while (!record && !rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      ++number;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      record = {std::string(line), number, {}};
      if (!map.empty()) record->text = kindred::mapped_record(line, map);
    }
    return record;
  };
}

template <typename Records>
NextRecord records_in(const char* name, std::string_view body, const kindred::FieldMap& map) {
  const auto source = [rest = body](std::span<char> room) mutable {
    const std::size_t count = rest.copy(room.data(), room.size());
    rest.remove_prefix(count);
    return count;
  };
  return [records = std::make_shared<Records>(name, source, map)] {
    return records->next();
  };
}

}  // namespace

NextRecord records_of(const Request& request, const kindred::FieldMap& map) {
  using kindred::TableRecords;
  const std::string type = media_type(request);
  if (type == kNdjson) return lines_of(request.body, map);
  if (type == "text/csv") return records_in<TableRecords>("body.csv", request.body, map);
  if (type == "text/tab-separated-values")
    return records_in<TableRecords>("body.tsv", request.body, map);
  if (type == "application/json")
    return records_in<kindred::ArrayRecords>("body", request.body, map);
  throw Problem(415, "unsupported-media-type",
                "expected a body of application/json, application/x-ndjson, text/csv or "
                "text/tab-separated-values, found '" +
                    type + "'");
}

bool is_one_record(const Request& request) {
  if (media_type(request) != "application/json") return false;
  std::string_view body = request.body;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  return first == body.npos || body[first] != '[';
}

}  // namespace search_server
