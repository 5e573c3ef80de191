#include "plugin/writing/dead_letters.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace kindred {
namespace {

using Letter = nlohmann::ordered_json;

constexpr std::string_view kLetterStart = "{\"dead_letter\":{";

std::string dump(const Letter& value) {
  return value.dump(-1, ' ', false, Letter::error_handler_t::replace);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;

  // Three bytes are 24 bits, and these are four digits of 6 bits. What the last group lacks counts
  // as 0; its digits are padding.
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group <<= 8;
      if (i + j < bytes.size()) group |= static_cast<unsigned char>(bytes[i + j]);
    }

    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

/// The members of a JSON object, as they are written between its braces; "" if it has none.
std::string_view members_of(std::string_view object) {
  object.remove_prefix(object.find('{') + 1);
  object = object.substr(0, object.rfind('}'));
  if (object.find('"') == object.npos) return std::string_view();
  return object;
}

/// The place behind the object that begins at `begin`, braces in strings aside.
std::size_t end_of_object(std::string_view text, std::size_t begin) {
  // Only braces outside of strings count, and a backslash hides the quote behind it.
  int depth = 0;
  bool quoted = false;

  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      --depth;
      if (depth == 0) return i + 1;
    }
  }
  return text.size();
}

/// The members of a line that is a dead letter already, without that key.
std::string_view without_letter(std::string_view line) {
  std::string_view rest = line.substr(end_of_object(line, kLetterStart.size() - 1));
  if (rest.starts_with(',')) rest.remove_prefix(1);
  return rest.substr(0, rest.rfind('}'));
}

bool is_object(std::string_view json) {
  const std::size_t begin = json.find_first_not_of(" \t\r\n");
  return begin != json.npos && json[begin] == '{' && Letter::accept(json);
}

}  // namespace

std::string record_json(const Record& record) {
  // What the record does not say stays out, so that the letter can be indexed as the record was.
  Letter object = {{"id", record.id}};
  if (!record.title.empty()) object["title"] = record.title;
  if (!record.text.empty()) object["text"] = record.text;

  if (record.terms) {
    std::map<std::string, std::uint64_t> counts;  // by code, a term may come twice
    for (const TermCount& entry : *record.terms) counts[entry.term] += entry.count;
    object["terms"] = counts;
  }

  if (!record.labels.empty() || record.replaces_labels) object["labels"] = record.labels;
  if (!record.rejected_labels.empty()) object["rejected_labels"] = record.rejected_labels;
  if (record.auto_tag) object["auto_tag"] = *record.auto_tag;
  if (!record.language.empty()) object["lang"] = record.language;
  for (const auto& [name, value] : record.fields) object[name] = value;

  return dump(object);
}

std::string dead_letter(std::string_view json, const std::string& reason,
                        const RecordOrigin& origin) {
  // Why, and where the line came from.
  Letter letter = {{"reason", reason}};
  if (!origin.file.empty()) {
    letter["file"] = origin.file;
    letter["line"] = origin.line;
  }

  // The line's own members stay beside the letter, so that it is a record again once it is mended.
  // A line that is none is kept as text, or as base64 if it is no UTF-8.
  const bool valid = is_object(json);
  std::string_view members;
  if (valid && json.starts_with(kLetterStart)) {
    members = without_letter(json);
    if (members.empty()) return std::string(json);  // what it says of the line is still true
  } else if (valid) {
    members = members_of(json);
  } else if (!json.empty()) {
    if (is_utf8(json)) {
      letter["raw"] = std::string(json);
    } else {
      letter["base64"] = base64(json);
    }
  }

  std::string line = "{\"dead_letter\":" + dump(letter);
  if (!members.empty()) line.append(",").append(members);
  return line + "}";
}

DeadLetters::DeadLetters(const std::string& path)
    : path_(path),
      file_(GuardedFile(path, owners_of_named_file(path)).open(O_RDWR | O_APPEND | O_CREAT)) {
  // A file that was cut in the middle of a line gets its end first.
  const off_t size = ::lseek(file_, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(file_, &last, 1, size - 1) == 1 && last != '\n') unwritten_ = "\n";
}

void DeadLetters::fail(int fault) const {
  throw Error(Errc::kDatabase, path_ + ": dead letters cannot be written: " +
                                   std::generic_category().message(fault));
}

void DeadLetters::add(std::string_view line) { unwritten_.append(line).append("\n"); }

void DeadLetters::flush() {
  if (unwritten_.empty()) return;

  std::size_t written = 0;

  // What has been written is dropped after a failure, so that nothing is written twice.
  while (written < unwritten_.size()) {
    const ssize_t count = ::write(file_, unwritten_.data() + written, unwritten_.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int fault = errno;
      unwritten_.erase(0, written);
      fail(fault);
    }
    written += static_cast<std::size_t>(count);
  }

  // On the disk before the documents are: a record must not be lost between the two.
  if (::fsync(file_) != 0) fail(errno);
  unwritten_.clear();
}

}  // namespace kindred
