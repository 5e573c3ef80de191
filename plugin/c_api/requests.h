#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "plugin/answers.h"
#include "plugin/ask/ask.h"
#include "plugin/kindred.h"
#include "plugin/requests.h"
#include "plugin/writing/ingest.h"

// Checks what a host passes through the C ABI, and turns it into the types of the C++ face. Every
// function here throws Error kInvalidArgument that names the argument.

namespace kindred {

void require(const void* pointer, const char* name);

/// Fails if there is a flag that is not among the `known` ones.
void check_flags(std::uint64_t flags, std::uint64_t known, const std::string& name);

/// Passes steps on to the callback of the host; empty if it has none. False: it cancels.
std::function<bool(const AskStep&)> read_progress(kindred_progress progress, void* user);

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

/// The size of a growing struct in version 1 of the library: no host has a smaller one.
template <typename Struct>
constexpr std::size_t kFirstSize = sizeof(Struct);
template <>
constexpr std::size_t kFirstSize<kindred_open_options> = offsetof(kindred_open_options,
                                                                  on_document);
template <>
constexpr std::size_t kFirstSize<kindred_ingest_report> = offsetof(kindred_ingest_report,
                                                                   near_duplicates);

void check_size(std::size_t size, std::size_t least, const char* name);

/// Fails unless all bytes that this version does not know are zero.
void check_unknown(const void* given, std::size_t size, std::size_t known, const char* name);

/// A growing struct as this version knows it. Members that the host does not know are 0.
template <typename Struct>
Struct read_struct(const Struct* given, const char* name) {
  require(given, name);
  check_size(given->size, kFirstSize<Struct>, name);
  check_unknown(given, given->size, sizeof(Struct), name);

  Struct known{};
  std::memcpy(&known, given, std::min(given->size, sizeof(Struct)));
  return known;
}

/// Fails unless write_struct() can write to `out`; NULL is left to the caller.
template <typename Struct>
void check_output(const Struct* out, const char* name) {
  if (out != nullptr) check_size(out->size, kFirstSize<Struct>, name);
}

/// Writes the members of `value` that the host knows. Those that this version does not know become
/// 0.
template <typename Struct>
void write_struct(const Struct& value, Struct* out) {
  const std::size_t size = out->size;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(static_cast<void*>(out), &value, std::min(size, sizeof(Struct)));
  out->size = size;
}

kindred_related_result* make_result(RelatedResult&& answer);
/// `name_of`: what a label is called; "" if it has no name.
kindred_classification* make_result(Classification&& answer,
                                    const std::function<std::string(const std::string&)>& name_of);
kindred_answer* make_result(std::string&& answer);

void delete_result(kindred_related_result* result) noexcept;
void delete_result(kindred_classification* result) noexcept;
void delete_result(kindred_answer* result) noexcept;

kindred_ingest_report make_report(const IngestReport& report);
/// Borrows from `report` and `tags`, which it fills.
kindred_document_report make_report(const DocumentReport& report, std::vector<kindred_tag>& tags);

}  // namespace kindred
