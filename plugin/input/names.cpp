#include "plugin/input/names.h"

#include <unicode/utf8.h>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace kindred {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Adds a key that is not there yet, without a search, which would be too long where there are
/// many.
void add_key(ordered_json& object, std::string key, ordered_json value) {
  object.get_ref<ordered_json::object_t&>().Container::emplace_back(std::move(key),
                                                                    std::move(value));
}

void add_key(json& object, std::string key, json value) { object[key] = std::move(value); }

/// The same JSON with other strings, keys included.
template <typename Json>
Json with_strings(const Json& value, std::string (*change)(std::string_view)) {
  if (value.is_string()) return change(value.template get_ref<const std::string&>());
  if (!value.is_structured()) return value;

  Json changed = value.is_array() ? Json::array() : Json::object();
  if (value.is_array()) {
    for (const Json& item : value) changed.push_back(with_strings(item, change));
  } else {
    for (const auto& [key, item] : value.items())
      add_key(changed, change(key), with_strings(item, change));
  }
  return changed;
}

bool has_utf8_only(const ordered_json& value) {
  if (value.is_string()) return is_utf8(value.get_ref<const std::string&>());
  if (value.is_array()) return std::ranges::all_of(value, has_utf8_only);
  if (!value.is_object()) return true;
  return std::ranges::all_of(value.items(), [](const auto& member) {
    return is_utf8(member.key()) && has_utf8_only(member.value());
  });
}

/// Not called unescape(): a function of nlohmann/json has that name, and would be as good a match.
template <typename Json>
bool read_escaped_strings(Json& record) {
  const auto mark = record.find(kEscapedStrings);
  if (mark == record.end() || *mark != true) return false;
  record.erase(mark);
  record = with_strings(record, read_name);
  return true;
}

}  // namespace

std::string written_name(std::string_view bytes) {
  // Nearly all names are UTF-8 without a backslash, and are written as they are.
  if (bytes.find('\\') == std::string_view::npos && is_utf8(bytes)) return std::string(bytes);
  constexpr const char* kDigits = "0123456789abcdef";

  const auto* codes = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::string name;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t start = i;
    UChar32 c = 0;
    U8_NEXT(codes, i, bytes.size(), c);

    // A backslash is doubled, so that an escape is never read where none was written.
    if (c == '\\') name += '\\';
    if (c >= 0) name.append(bytes, start, i - start);
    for (std::size_t at = start; c < 0 && at < i; ++at)
      name += {'\\', 'x', kDigits[codes[at] / 16], kDigits[codes[at] % 16]};
  }
  return name;
}

std::string read_name(std::string_view written) {
  // Escapes have the form that written_name() gives them; anything else was not written by it.
  std::string bytes;
  for (std::size_t i = 0; i < written.size();) {
    if (written[i] != '\\') {
      bytes += written[i];
      ++i;
      continue;
    }

    const std::string_view escape = written.substr(i, 4);
    unsigned char byte = '\\';
    const bool is_byte =
        escape.size() == 4 && escape[1] == 'x' &&
        std::from_chars(&escape[2], &escape[2] + 2, byte, 16).ptr == &escape[2] + 2;

    if (!is_byte && !escape.starts_with("\\\\"))
      throw Error(Errc::kInvalidArgument,
                  "'" + std::string(escape) + "': expected \\\\ or \\x and two hexadecimal digits");

    bytes += static_cast<char>(byte);
    i += is_byte ? 4 : 2;
  }
  return bytes;
}

void escape_strings(ordered_json& record) {
  if (has_utf8_only(record)) return;
  record = with_strings(record, written_name);
  record[kEscapedStrings] = true;
}

bool unescape_strings(json& record) { return read_escaped_strings(record); }

bool unescape_strings(ordered_json& record) { return read_escaped_strings(record); }

}  // namespace kindred
