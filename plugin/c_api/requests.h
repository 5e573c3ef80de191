#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/error.h"
#include "config/settings.h"
#include "plugin/answers/classification.h"
#include "plugin/answers/curation.h"
#include "plugin/answers/related.h"
#include "plugin/answers/topics.h"
#include "plugin/kindred.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/votes/tuning/tune_request.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"

// Checks what a host passes through the C ABI, and turns it into the types of the C++ face. Every
// function here throws Error kInvalidArgument that names the argument.
namespace kindred {

void require(const void* pointer, const char* name);

/// Fails if there is a flag that is not among the `known` ones.
void check_flags(std::uint64_t flags, std::uint64_t known, const std::string& name);

/// A number, or nothing for KINDRED_DEFAULT.
std::optional<std::int64_t> read_count(std::int64_t value);

/// Passes progress on to the callback of the host; empty if it has none. False: it cancels.
std::function<bool(std::uint64_t done, std::uint64_t all)> read_progress(kindred_progress progress,
                                                                         void* user);

/// True if a request, which may be NULL, wants titles.
template <typename Request>
bool wants_titles(const Request* request) {
  return request != nullptr && (request->flags & KINDRED_TITLES) != 0;
}

/// A borrowed view of the caller's bytes.
std::string_view read_string(kindred_string string, const std::string& name);

/// The settings from the file or the text in the options, else the defaults.
Settings read_settings(const kindred_open_options& options);

/// A file name: not empty, without zero bytes.
std::string read_path(kindred_string path, const char* name);

Example read_example(const kindred_example& example, const std::string& name);
std::vector<Example> read_records(const kindred_example* records, std::size_t count);
RelatedRequest read_related_request(const kindred_related_request* request);
/// `request` may be NULL: all defaults.
ClassifyRequest read_classify_request(const kindred_classify_request* request);
/// `request` may be NULL: all documents.
TagRequest read_tag_request(const kindred_tag_request* request);
/// `request` may be NULL.
StoreRelatedRequest read_store_related_request(const kindred_store_related_request* request);
AssignRequest read_assign_request(const kindred_assign_request* request);
/// `name`: what begins the names of both, such as "edits[0]."
TagEdit read_tag_edit(std::int32_t edit, kindred_string label, const std::string& name);
TopicsRequest read_train_request(const kindred_train_request& request);
/// Passes epochs on to the callback of the host; empty if it has none.
TopicsProgress read_progress(const kindred_train_request& request);

TuneRequest read_tune_request(const kindred_tune_request& request);
/// Passes steps on to the callback of the host, which may cancel; empty if it has none.
OnTuning read_progress(const kindred_tune_request& request);

/// `request` may be NULL: all defaults. The progress is passed on to the callback of the host.
DuplicateRequest read_duplicates_request(const kindred_duplicates_request* request);
CandidatesRequest read_candidates_request(const kindred_candidates_request* request);

/// The least size of a growing struct that a host may pass: the whole, or what it had before
/// members that hosts may leave out.
template <typename Struct>
inline constexpr std::size_t kFirstSize = sizeof(Struct);
template <>
inline constexpr std::size_t kFirstSize<kindred_open_options> =
    offsetof(kindred_open_options, log_user) + sizeof(kindred_open_options::log_user);
template <>
inline constexpr std::size_t kFirstSize<kindred_status> = offsetof(kindred_status, device) +
                                                          sizeof(kindred_status::device);
template <>
inline constexpr std::size_t kFirstSize<kindred_related_request> =
    offsetof(kindred_related_request, flags) + sizeof(kindred_related_request::flags);
template <>
inline constexpr std::size_t kFirstSize<kindred_classify_request> =
    offsetof(kindred_classify_request, flags) + sizeof(kindred_classify_request::flags);
template <>
inline constexpr std::size_t kFirstSize<kindred_ingest_report> =
    offsetof(kindred_ingest_report, pending) + sizeof(kindred_ingest_report::pending);

template <>
inline constexpr std::size_t kFirstSize<kindred_tag_request> = offsetof(kindred_tag_request,
                                                                        flags) +
                                                               sizeof(kindred_tag_request::flags);
template <>
inline constexpr std::size_t kFirstSize<kindred_tag_report> = offsetof(kindred_tag_report,
                                                                       rejected) +
                                                              sizeof(kindred_tag_report::rejected);
template <>
inline constexpr std::size_t kFirstSize<kindred_assign_request> =
    offsetof(kindred_assign_request, flags) + sizeof(kindred_assign_request::flags);
template <>
inline constexpr std::size_t kFirstSize<kindred_store_related_request> =
    offsetof(kindred_store_related_request, flags) + sizeof(kindred_store_related_request::flags);

void check_size(std::size_t size, std::size_t least, const char* name);

/// Fails unless all bytes that this version does not know are zero.
void check_unknown(const void* given, std::size_t size, std::size_t known, const char* name);

/// A growing struct as this version knows it. Members that an older host does not have are 0.
template <typename Struct>
Struct read_struct(const Struct* given, const char* name) {
  require(given, name);
  check_size(given->size, kFirstSize<Struct>, name);
  check_unknown(given, given->size, sizeof(Struct), name);
  Struct copy{};
  std::memcpy(&copy, given, std::min(given->size, sizeof(Struct)));
  return copy;
}

/// Fails unless write_struct() can write to `out`; NULL is left to the caller.
template <typename Struct>
void check_output(const Struct* out, const char* name) {
  if (out != nullptr) check_size(out->size, kFirstSize<Struct>, name);
}

/// Writes the members of `value` that the host knows. Members that this version does not know
/// become 0.
template <typename Struct>
void write_struct(const Struct& value, Struct* out) {
  const std::size_t size = out->size;
  const std::size_t known = std::min(size, sizeof(Struct));
  std::memcpy(out, &value, known);
  std::memset(reinterpret_cast<char*>(out) + known, 0, size - known);
  out->size = size;
}

}  // namespace kindred
