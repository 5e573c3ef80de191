#include "plugin/c_api/requests.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "plugin/votes/tuning/tuning_json.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& expected) {
  throw Error(Errc::kInvalidArgument, name + ": expected " + expected);
}

/// Reports each batch of a run to the callback of the host, which may cancel; empty if it has none.
template <typename Report>
std::function<void(const Report&)> read_run_progress(kindred_progress progress, void* user,
                                                     const std::string& run) {
  const auto tell = read_progress(progress, user);
  if (!tell) return {};
  return [tell, run](const Report& report) {
    const std::uint64_t done = report.continued + report.examined;
    if (!tell(done, report.matched))
      throw Error(Errc::kCanceled, run + ": canceled after " + std::to_string(done) + " of " +
                                       std::to_string(report.matched) + " documents");
  };
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

}  // namespace

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Error(Errc::kInvalidArgument, std::string(name) + ": is NULL");
}

void check_flags(std::uint64_t flags, std::uint64_t known, const std::string& name) {
  if ((flags & ~known) == 0) return;
  throw Error(Errc::kUnsupported,
              name + ": this version does not know flag " + std::to_string(flags & ~known));
}

std::optional<std::int64_t> read_count(std::int64_t value) {
  if (value == KINDRED_DEFAULT) return {};
  return value;
}

std::function<bool(std::uint64_t, std::uint64_t)> read_progress(kindred_progress progress,
                                                                void* user) {
  if (progress == nullptr) return {};
  return [progress, user](std::uint64_t done, std::uint64_t all) {
    const kindred_step told = {sizeof(kindred_step), done, all};
    return progress(user, &told) == 0;
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
  check_flags(request.flags, KINDRED_EXPLAIN, "request.flags");
  RelatedRequest out;
  out.like = read_examples(request.like, request.like_count, "request.like");
  out.unlike = read_examples(request.unlike, request.unlike_count, "request.unlike");
  out.k = read_count(request.k).value_or(out.k);
  out.threshold = read_threshold(request.threshold).value_or(out.threshold);
  out.filter = read_string(request.filter, "request.filter");
  out.explain = (request.flags & KINDRED_EXPLAIN) != 0;
  out.like_query = read_string(request.like_query, "request.like_query");
  out.unlike_query = read_string(request.unlike_query, "request.unlike_query");
  if (request.query_top != 0) out.query_top = request.query_top;
  out.fold = request.fold;
  return out;
}

ClassifyRequest read_classify_request(const kindred_classify_request* given) {
  if (given == nullptr) return {};
  const kindred_classify_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_NEIGHBORS | KINDRED_EXPLAIN | KINDRED_TITLES, "request.flags");
  ClassifyRequest out;
  out.k = read_count(request.k);
  out.threshold = read_threshold(request.threshold);
  out.max_labels = read_count(request.max_labels);
  out.filter = read_string(request.filter, "request.filter");
  out.neighbors = (request.flags & KINDRED_NEIGHBORS) != 0;
  out.explain = (request.flags & KINDRED_EXPLAIN) != 0;
  const std::string_view vote = read_string(request.vote, "request.vote");
  if (!vote.empty()) out.vote = vote;
  out.prototypes = read_string(request.prototypes, "request.prototypes");
  if (request.min_similarity != 0) out.min_similarity = request.min_similarity;
  return out;
}

TagRequest read_tag_request(const kindred_tag_request* given) {
  if (given == nullptr) return {};
  const kindred_tag_request request = read_struct(given, "request");
  check_flags(request.flags,
              KINDRED_DRY_RUN | KINDRED_PENDING | KINDRED_RESTART | KINDRED_ALLOW_ALL,
              "request.flags");
  TagRequest out;
  out.query = read_string(request.query, "request.query");
  out.dry_run = (request.flags & KINDRED_DRY_RUN) != 0;
  out.pending = (request.flags & KINDRED_PENDING) != 0;
  out.restart = (request.flags & KINDRED_RESTART) != 0;
  out.allow_all = (request.flags & KINDRED_ALLOW_ALL) != 0;
  out.on_progress =
      read_run_progress<TagReport>(request.progress, request.progress_user, "tagging");
  return out;
}

AssignRequest read_assign_request(const kindred_assign_request* given) {
  if (given == nullptr) return {};
  const kindred_assign_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_RESTART, "request.flags");
  AssignRequest out;
  out.restart = (request.flags & KINDRED_RESTART) != 0;
  out.on_progress =
      read_run_progress<AssignReport>(request.progress, request.progress_user, "topics");
  return out;
}

StoreRelatedRequest read_store_related_request(const kindred_store_related_request* given) {
  if (given == nullptr) return {};
  const kindred_store_related_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_RESTART, "request.flags");
  StoreRelatedRequest out;
  out.query = read_string(request.query, "request.query");
  out.filter = read_string(request.filter, "request.filter");
  out.k = read_count(request.k).value_or(out.k);
  out.threshold = read_threshold(request.threshold).value_or(out.threshold);
  out.restart = (request.flags & KINDRED_RESTART) != 0;
  out.on_progress = read_run_progress<StoreRelatedReport>(request.progress, request.progress_user,
                                                          "related documents");
  return out;
}

TagEdit read_tag_edit(std::int32_t edit, kindred_string given, const std::string& name) {
  const std::string label(read_string(given, name + "label"));
  const bool about_all =
      edit == KINDRED_OPT_OUT || edit == KINDRED_OPT_IN || edit == KINDRED_CLEAR_LABELS;
  if (about_all && !label.empty()) refuse(name + "label", "none for this edit");
  TagEdit out;
  switch (edit) {
    case KINDRED_REMOVE_TAG:
      out.remove = {label};
      break;
    case KINDRED_ALLOW_TAG:
      out.allow = {label};
      break;
    case KINDRED_OPT_OUT:
    case KINDRED_OPT_IN:
      out.auto_tag = edit == KINDRED_OPT_IN;
      break;
    case KINDRED_ADD_LABEL:
      out.give = {label};
      break;
    case KINDRED_REMOVE_LABEL:
      out.take_back = {label};
      break;
    case KINDRED_CLEAR_LABELS:
      out.clear_labels = true;
      break;
    default:
      refuse(name + "edit", "a kindred_tag_edit (got " + std::to_string(edit) + ")");
  }
  return out;
}

TopicsRequest read_train_request(const kindred_train_request& given) {
  check_flags(given.flags, KINDRED_TOROIDAL | KINDRED_RESUME, "request.flags");
  TopicsRequest out;
  out.rows = read_count(given.rows);
  out.columns = read_count(given.columns);
  out.epochs = read_count(given.epochs).value_or(out.epochs);
  out.seed = read_count(given.seed).value_or(out.seed);
  out.count = read_count(given.count).value_or(out.count);
  const std::string lattice(read_string(given.lattice, "request.lattice"));
  if (!lattice.empty()) out.lattice = lattice;
  out.toroidal = (given.flags & KINDRED_TOROIDAL) != 0;
  out.resume = (given.flags & KINDRED_RESUME) != 0;
  return out;
}

TopicsProgress read_progress(const kindred_train_request& given) {
  if (given.progress == nullptr) return {};
  return [progress = given.progress, user = given.progress_user](const TopicsEpoch& epoch) {
    const kindred_topics_epoch told = {sizeof(kindred_topics_epoch),
                                       epoch.epoch,
                                       epoch.epochs,
                                       epoch.sigma,
                                       epoch.quantization_error,
                                       epoch.topographic_error,
                                       epoch.moved};
    return progress(user, &told) == 0;
  };
}

TuneRequest read_tune_request(const kindred_tune_request& given) {
  check_flags(given.flags, KINDRED_DRY_RUN | KINDRED_IF_DUE, "request.flags");
  const std::string_view settings = read_string(given.settings, "request.settings");
  if ((given.flags & KINDRED_IF_DUE) != 0 && (given.flags != KINDRED_IF_DUE || !settings.empty()))
    refuse("request", "KINDRED_IF_DUE without other flags and without settings");
  return parse_tune_request(settings);
}

OnTuning read_progress(const kindred_tune_request& given) {
  if (given.progress == nullptr) return {};
  return [progress = given.progress, user = given.progress_user](const std::string& doing,
                                                                 std::uint64_t documents) {
    const kindred_tune_step told = {
        sizeof(kindred_tune_step), {doing.c_str(), doing.size()}, documents};
    if (progress(user, &told) != 0)
      throw Error(Errc::kCanceled,
                  "canceled in " + doing + ", after " + std::to_string(documents) + " documents");
  };
}

DuplicateRequest read_duplicates_request(const kindred_duplicates_request* given) {
  if (given == nullptr) return {};
  const kindred_duplicates_request request = read_struct(given, "request");
  DuplicateRequest out;
  out.filter = read_string(request.filter, "request.filter");
  out.threshold = read_threshold(request.threshold).value_or(out.threshold);
  out.limit = read_count(request.limit).value_or(out.limit);
  if (request.progress != nullptr) {
    out.on_progress = [progress = request.progress, user = request.progress_user](
                          std::uint64_t compared, std::uint64_t all) {
      const kindred_duplicates_step told = {sizeof(kindred_duplicates_step), compared, all};
      return progress(user, &told) == 0;
    };
  }
  return out;
}

CandidatesRequest read_candidates_request(const kindred_candidates_request* given) {
  const kindred_candidates_request request = read_struct(given, "request");
  check_flags(request.flags, KINDRED_EXPLAIN | KINDRED_INCLUDE_PREDICTED | KINDRED_TITLES,
              "request.flags");
  CandidatesRequest out;
  out.label = read_string(request.label, "request.label");
  out.filter = read_string(request.filter, "request.filter");
  out.min_confidence = read_threshold(request.min_confidence).value_or(out.min_confidence);
  out.limit = read_count(request.limit).value_or(out.limit);
  out.explain = (request.flags & KINDRED_EXPLAIN) != 0;
  out.include_predicted = (request.flags & KINDRED_INCLUDE_PREDICTED) != 0;
  if (request.progress != nullptr) {
    out.on_progress = [progress = request.progress, user = request.progress_user](
                          std::uint64_t classified, std::uint64_t all) {
      const kindred_candidates_step told = {sizeof(kindred_candidates_step), classified, all};
      return progress(user, &told) == 0;
    };
  }
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
