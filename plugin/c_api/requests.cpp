#include "plugin/c_api/requests.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace kindred {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& expected) {
  throw Error(Errc::kInvalidArgument, name + ": expected " + expected);
}

/// A number, or nothing for KINDRED_DEFAULT.
template <typename Number>
std::optional<Number> if_given(Number value) {
  return value == KINDRED_DEFAULT ? std::nullopt : std::optional(value);
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

// Each owns the answer that its base points into, so it can be neither moved nor copied.
struct OwnedRelated : kindred_related_result {
  RelatedResult answer;
  std::vector<kindred_related_document> document_list;
};

struct OwnedClassification : kindred_classification {
  Classification answer;
  std::vector<kindred_tag> tag_list, withheld_list;
  kindred_tag best_tag;
  std::deque<std::string> names;  ///< of the labels of tags
  std::vector<kindred_neighbor> voter_list;
  std::vector<std::vector<kindred_string>> label_lists;  ///< of the voters
};

struct OwnedAnswer : kindred_answer {
  std::string text;
};

/// What these return borrows from the argument.
kindred_string lend(const std::string& text) { return {text.c_str(), text.size()}; }
kindred_tag lend(const Tag& tag) { return {lend(tag.label), {"", 0}, tag.confidence}; }

std::vector<kindred_tag> lend(const std::vector<Tag>& tags) {
  std::vector<kindred_tag> lent(tags.size());
  std::ranges::transform(tags, lent.begin(), [](const Tag& tag) {
    return lend(tag);
  });
  return lent;
}

void lend_voters(const std::vector<api::Voter>& voters, OwnedClassification& owned) {
  for (const api::Voter& voter : voters) {
    std::vector<kindred_string>& labels = owned.label_lists.emplace_back();
    for (const std::string& label : voter.labels) labels.push_back(lend(label));
    owned.voter_list.push_back(
        {voter.docid, voter.similarity, lend(voter.id), labels.data(), labels.size()});
  }
  owned.voters = owned.voter_list.data();
  owned.voter_count = owned.voter_list.size();
}

std::int32_t outcome_code(DocumentReport::Outcome outcome) {
  using Outcome = DocumentReport::Outcome;
  if (outcome == Outcome::kAdded) return KINDRED_ADDED;
  if (outcome == Outcome::kReplaced) return KINDRED_REPLACED;
  return KINDRED_REFUSED;
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
    const kindred_step given = {sizeof(kindred_step), lend(step.doing), step.done, step.all};
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
      throw Error(e.code(), text.starts_with(name) ? text : std::string(name) + ": " + text);
    }
  }
  return list;
}

RelatedRequest read_related_request(const kindred_related_request* given) {
  const kindred_related_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_NO_FEEDBACK | KINDRED_NO_GROUPS, "request.flags");
  RelatedRequest out;
  out.like = read_examples(request.like, request.like_count, "request.like");
  out.unlike = read_examples(request.unlike, request.unlike_count, "request.unlike");
  out.limit = if_given(request.limit).value_or(out.limit);
  out.min_similarity = if_given(request.min_similarity).value_or(out.min_similarity);
  out.filter = read_string(request.filter, "request.filter");
  out.feedback = (request.flags & KINDRED_NO_FEEDBACK) == 0;
  if ((request.flags & KINDRED_NO_GROUPS) != 0) out.group = "none";
  return out;
}

ClassifyRequest read_classify_request(const kindred_classify_request* given) {
  if (given == nullptr) return {};
  const kindred_classify_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_VOTERS, "request.flags");
  ClassifyRequest out;
  out.neighbors = if_given(request.neighbors);
  out.min_confidence = if_given(request.min_confidence);
  out.limit = if_given(request.limit);
  out.filter = read_string(request.filter, "request.filter");
  out.voters = (request.flags & KINDRED_VOTERS) != 0;
  out.group = "none";  // a voter of this struct stands for itself
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

kindred_related_result* make_result(RelatedResult&& answer) {
  auto owned = std::make_unique<OwnedRelated>();
  owned->answer = std::move(answer);
  for (const api::RelatedDocument& document : owned->answer.results)
    owned->document_list.push_back({document.docid, document.similarity, document.rank_score,
                                    lend(document.id), lend(*document.title),
                                    document.group_count.value_or(0)});
  owned->revision = owned->answer.revision;
  owned->documents = owned->document_list.data();
  owned->document_count = owned->document_list.size();
  return owned.release();
}

kindred_classification* make_result(Classification&& answer,
                                    const std::function<std::string(const std::string&)>& name_of) {
  auto owned = std::make_unique<OwnedClassification>();
  owned->answer = std::move(answer);
  const Classification& source = owned->answer;
  owned->revision = source.revision;
  owned->tag_list = lend(source.tags);
  owned->tags = owned->tag_list.data();
  owned->tag_count = source.tags.size();
  if (source.best) owned->best_tag = lend(*source.best);
  owned->best = source.best ? &owned->best_tag : nullptr;
  if (source.withheld) owned->withheld_list = lend(*source.withheld);
  owned->withheld = owned->withheld_list.data();
  owned->withheld_count = owned->withheld_list.size();
  if (source.voters) lend_voters(*source.voters, *owned);

  const auto add_name = [&](kindred_tag& tag) {
    tag.name = lend(owned->names.emplace_back(name_of({tag.label.data, tag.label.size})));
  };
  std::ranges::for_each(owned->tag_list, add_name);
  std::ranges::for_each(owned->withheld_list, add_name);
  if (source.best) add_name(owned->best_tag);
  return owned.release();
}

kindred_answer* make_result(std::string&& answer) {
  auto owned = std::make_unique<OwnedAnswer>();
  owned->text = std::move(answer);
  owned->json = lend(owned->text);
  return owned.release();
}

void delete_result(kindred_related_result* result) noexcept {
  delete static_cast<OwnedRelated*>(result);
}

void delete_result(kindred_classification* result) noexcept {
  delete static_cast<OwnedClassification*>(result);
}

void delete_result(kindred_answer* result) noexcept { delete static_cast<OwnedAnswer*>(result); }

kindred_ingest_report make_report(const IngestReport& report) {
  return {sizeof(kindred_ingest_report),
          report.added,
          report.replaced,
          report.failed,
          report.tagged,
          report.pending,
          report.near_duplicates,
          report.uncompared};
}

kindred_document_report make_report(const DocumentReport& report, std::vector<kindred_tag>& tags) {
  kindred_document_report out = {};
  out.size = sizeof out;
  out.id = lend(report.id);
  out.outcome = outcome_code(report.outcome);
  out.pending = report.pending ? 1 : 0;
  out.reason = lend(report.reason);
  tags = lend(report.tags);
  out.tags = tags.data();
  out.tag_count = tags.size();
  out.compared = report.compared ? 1 : 0;
  out.near_id = {"", 0};
  if (!report.near_duplicate) return out;
  out.near_docid = report.near_duplicate->docid;
  out.near_id = lend(report.near_duplicate->id);
  out.near_similarity = report.near_duplicate->similarity;
  return out;
}

}  // namespace kindred
