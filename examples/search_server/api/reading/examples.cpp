#include "api/reading/examples.h"

#include <utility>

#include "http/problem.h"
#include "plugin/handle.h"

namespace search_server {
namespace {

constexpr std::size_t kMostIdBytes = 1000;
constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

}  // namespace

void Examples::add(kindred_example_kind kind, std::string value) {
  values_.push_back(std::move(value));
  examples_.push_back({kind, 0, borrowed(values_.back())});
}

void Examples::add(MemberReader& members, const std::string& whole) {
  const std::size_t before = examples_.size();
  if (auto id = members.text("id", 1, kMostIdBytes)) add_id(*std::move(id));
  if (auto text = members.text("text", 1, kMostTextBytes)) add_text(*std::move(text));
  if (const Json* record = members.any("record")) {
    if (!record->is_object()) members.refuse("record", "expected an object");
    add_record(*record);
  }
  if (examples_.size() == before + 1) return;
  throw Problem(400, "bad-member",
                whole + ": expected exactly one of 'id', 'text' and 'record', found " +
                    std::to_string(examples_.size() - before));
}

}  // namespace search_server
