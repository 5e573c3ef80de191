#include "plugin/c_api/requests.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace kindred {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& expected) {
  throw Error(Errc::kInvalidArgument, name + ": expected " + expected);
}

std::optional<double> read_threshold(double value) {
  if (value == KINDRED_DEFAULT) return {};
  return value;
}

std::vector<Example> read_examples(const kindred_example* examples, std::size_t count,
                                   const std::string& name) {
  if (count != 0) require(examples, name.c_str());
  std::vector<Example> list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back(read_example(examples[i], name + "[" + std::to_string(i) + "]"));
  }
  return list;
}

Record read_record(const kindred_example& example, const std::string& name) {
  const std::string_view value = read_string(example.value, name + ".value");
  if (example.kind == KINDRED_BY_JSON) return parse_record(value);
  Record record;
  record.text = value;
  return record;
}

/// A number, or nothing for KINDRED_DEFAULT.
std::optional<std::int64_t> read_count(std::int64_t value) {
  if (value == KINDRED_DEFAULT) return {};
  return value;
}

}  // namespace

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Error(Errc::kInvalidArgument, std::string(name) + ": is NULL");
}

void check_flags(std::uint64_t flags, std::uint64_t known, const std::string& name) {
  if ((flags & ~known) == 0) return;
  throw Error(Errc::kUnsupported,
              name + ": this version does not know flag " + std::to_string(flags & ~known));
}

std::function<bool(const AskStep&)> read_progress(kindred_progress progress, void* user) {
  if (progress == nullptr) return {};
  return [progress, user](const AskStep& step) {
    const kindred_step given = {
        sizeof(kindred_step), {step.doing.c_str(), step.doing.size()}, step.done, step.all};
    return progress(user, &given) == 0;
  };
}

std::string_view read_string(kindred_string string, const std::string& name) {
  if (string.size == 0) return {};
  require(string.data, name.c_str());
  if (string.size > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    refuse(name, "a length that memory can hold");
  }
  return {string.data, string.size};
}

std::string read_path(kindred_string path, const char* name) {
  const std::string_view text = read_string(path, name);
  if (text.empty() || text.find('\0') != std::string_view::npos) {
    refuse(name, "a path, not empty and without zero bytes (got '" + std::string(text) + "')");
  }
  return std::string(text);
}

Settings read_settings(const kindred_open_options& options) {
  check_flags(options.flags, KINDRED_CREATE | KINDRED_HOST_TUNES, "options.flags");
  const std::string_view text = read_string(options.settings, "options.settings");
  if (options.settings_path.size == 0) return parse_settings(text, "settings");
  if (!text.empty()) refuse("options", "settings or settings_path, not both");
  return load_settings(read_path(options.settings_path, "options.settings_path"));
}

Example read_example(const kindred_example& example, const std::string& name) {
  switch (example.kind) {
    case KINDRED_BY_ID:
      return UniqueId{std::string(read_string(example.value, name + ".value"))};
    case KINDRED_BY_DOCID:
      return Docid{example.docid};
    case KINDRED_BY_TEXT:
    case KINDRED_BY_JSON:
      return read_record(example, name);
    default:
      refuse(name + ".kind", "a kindred_example_kind (got " + std::to_string(example.kind) + ")");
  }
}

std::vector<Example> read_records(const kindred_example* records, std::size_t count) {
  std::vector<Example> list;
  list.reserve(std::min<std::size_t>(count, 4096));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "records[" + std::to_string(i) + "]";
    try {
      list.push_back(read_example(records[i], name));
    } catch (const Error& e) {  // only to say which one
      const std::string text = e.what();
      throw Error(e.code(), text.starts_with(name) ? text : name + ": " + text);
    }
  }
  return list;
}

RelatedRequest read_related_request(const kindred_related_request* given) {
  const kindred_related_request request = read_struct(given, "request");
  RelatedRequest out;
  out.like = read_examples(request.like, request.like_count, "request.like");
  out.unlike = read_examples(request.unlike, request.unlike_count, "request.unlike");
  out.k = read_count(request.limit).value_or(out.k);
  out.threshold = read_threshold(request.threshold).value_or(out.threshold);
  out.filter = read_string(request.filter, "request.filter");
  return out;
}

ClassifyRequest read_classify_request(const kindred_classify_request* given) {
  if (given == nullptr) return {};
  const kindred_classify_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_NEIGHBORS, "request.flags");
  ClassifyRequest out;
  out.k = read_count(request.k);
  out.threshold = read_threshold(request.threshold);
  out.max_labels = read_count(request.limit);
  out.filter = read_string(request.filter, "request.filter");
  out.neighbors = (request.flags & KINDRED_NEIGHBORS) != 0;
  return out;
}

void check_size(std::size_t size, std::size_t least, const char* name) {
  if (size >= least) return;
  refuse(std::string(name) + ".size",
         "at least " + std::to_string(least) + ", by sizeof (got " + std::to_string(size) + ")");
}

void check_unknown(const void* given, std::size_t size, std::size_t known, const char* name) {
  const char* bytes = static_cast<const char*>(given);
  for (std::size_t i = known; i < size; ++i) {
    if (bytes[i] == 0) continue;
    throw Error(Errc::kUnsupported, std::string(name) +
                                        ": this version does not know the member at byte " +
                                        std::to_string(i) + ", so it must be 0");
  }
}

}  // namespace kindred
