#include "api/reading/examples.h"

#include "http/problem.h"

namespace search_server {
namespace {

constexpr std::size_t kMostIdBytes = 1000;
constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

}  // namespace

Json read_example(MemberReader& members, const std::string& whole) {
  Json example = Json::object();
  if (const auto id = members.text("id", 1, kMostIdBytes)) example["id"] = written_name(*id);
  if (const auto text = members.text("text", 1, kMostTextBytes)) example["text"] = *text;
  if (const Json* record = members.any("record")) {
    if (!record->is_object()) members.refuse("record", "expected an object");
    example["record"] = *record;
  }
  if (example.size() == 1) return example;
  throw Problem(400, "bad-member",
                whole + ": expected exactly one of 'id', 'text' and 'record', found " +
                    std::to_string(example.size()));
}

}  // namespace search_server
