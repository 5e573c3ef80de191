#include "plugin/readers/folder/folder_file.h"

#include <unistd.h>
#include <xxhash.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/readers/folder/decoded_bytes.h"
#include "plugin/readers/folder/filter_run.h"
#include "plugin/readers/folder/html_text.h"
#include "plugin/readers/folder/mail_reader.h"

namespace kindred {
namespace {

constexpr std::size_t kMostIdBytes = 230;  // with room for a prefix
constexpr std::size_t kKeptIdBytes = 200;  // of a longer one
constexpr std::time_t kRecentSeconds = 2;  // the coarsest times of file systems

bool is_continued(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::string id_of(std::string text) {
  if (text.size() <= kMostIdBytes) return text;
  std::array<char, 24> digest = {};
  std::snprintf(digest.data(), digest.size(), "...%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  std::size_t end = kKeptIdBytes;
  while (end > 0 && is_continued(text[end])) --end;
  return text.substr(0, end) + digest.data();
}

/// The name of a file without its end, which would be a word of all files of its kind.
std::string bare_name_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name.resize(name.size() - end_of_name(path).size());
  return name;
}

/// The first heading of Markdown outside of code; "" if there is none.
std::string heading_of(std::string_view text) {
  bool is_in_code = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("```")) is_in_code = !is_in_code;

    const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
    if (is_in_code || marks == 0 || marks > 6 || marks == line.size() || line[marks] != ' ')
      continue;
    std::string title = in_one_line(line.substr(marks));
    while (title.ends_with('#')) title.pop_back();
    return in_one_line(title);
  }
  return "";
}

/// A Maildir writes flags behind the name, as in "1700000000.M1P2.host:2,S".
std::string without_flags(std::string path) {
  const std::size_t flags = path.rfind(":2,");
  if (flags != path.npos && path.find('/', flags) == path.npos) path.resize(flags);
  return path;
}

}  // namespace

const std::string& InstalledFilters::path_of(const Filter& filter) {
  const auto found = paths_.find(filter.program);
  if (found != paths_.end()) return found->second;
  return paths_.emplace(filter.program, program_path(filter.program)).first->second;
}

struct FolderFile::Impl {
  Impl(int opened, std::string its_path, InstalledFilters& installed)
      : file(opened), path(std::move(its_path)), filters(installed) {
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
      throw Error(Errc::kNotFound, "is no regular file any more");

    std::array<char, 512> start = {};
    const ssize_t count = ::pread(file, start.data(), start.size(), 0);
    if (count < 0) throw Error(Errc::kNotFound, "cannot be read: " + last_fault().message());
    kind = kind_of_file(path, {start.data(), static_cast<std::size_t>(count)});
    if (kind.form == FileKind::Form::kMessage) path = without_flags(std::move(path));
  }

  bool is_mail() const {
    return kind.form == FileKind::Form::kMessage || kind.form == FileKind::Form::kMailbox;
  }

  /// True if what was read is all of the file, and a later change would show.
  bool is_settled() const {
    struct stat after = {};
    if (::fstat(file, &after) != 0 || after.st_size != status.st_size) return false;
    if (after.st_mtim.tv_sec != status.st_mtim.tv_sec) return false;
    if (after.st_mtim.tv_nsec != status.st_mtim.tv_nsec) return false;
    const std::time_t age = read_at - status.st_mtim.tv_sec;
    return age < 0 || age > kRecentSeconds;
  }

  Record record() const {
    Record record;
    record.id = id_of(path);
    record.fields[kFileKey] = path;
    return record;
  }

  Record read_whole() {
    Record whole = record();
    TitledText read;
    switch (kind.form) {
      case FileKind::Form::kHtml:
        read = read_html(content_of(file), "");
        break;
      case FileKind::Form::kFiltered:
        read = filtered();
        break;
      default:
        read.text = decoded_bytes(content_of(file), "");
        break;
    }
    if (read.text.find('\0') != read.text.npos)
      throw Error(Errc::kCorrupt, "has zero bytes: expected text");
    if (kind.form == FileKind::Form::kMarkdown) read.title = heading_of(read.text);

    whole.title = read.title.empty() ? bare_name_of(path) : std::move(read.title);
    whole.text = std::move(read.text);
    return whole;
  }

  TitledText filtered() {
    std::string output = run_filter(filters.path_of(*kind.filter), *kind.filter, file);
    if (kind.filter->output == Filter::Output::kMarkup) return read_html(output, "");
    return {"", decoded_bytes(output, "utf-8")};
  }

  std::optional<Record> read_mail() {
    const bool is_mailbox = kind.form == FileKind::Form::kMailbox;
    if (mails == nullptr) mails = open_mails(file, is_mailbox);
    std::optional<Mail> mail = mails->next();
    if (!mail) return {};

    Record found = record();
    const std::string name =
        mail->message_id.empty() ? std::to_string(mail->number) : mail->message_id;
    if (is_mailbox) found.id = id_of(path + "#" + name);
    found.title = std::move(mail->subject);
    if (!mail->from.empty()) found.fields["from"] = std::move(mail->from);
    if (!mail->date.empty()) found.fields["date"] = std::move(mail->date);
    found.text = std::move(mail->text);
    return found;
  }

  /// The record behind the latest.
  std::optional<Record> read() {
    if (is_mail()) return read_mail();
    if (std::exchange(is_read, true)) return {};
    return read_whole();
  }

  const OpenFile file;
  std::string path;
  InstalledFilters& filters;
  struct stat status = {};
  const std::time_t read_at = std::time(nullptr);
  FileKind kind;
  std::unique_ptr<MailReader> mails;
  bool is_read = false;         // of a file that is one record
  bool is_started = false;      // next() was called
  std::optional<Record> ahead;  // the record that next() returns
};

FolderFile::FolderFile(int file, std::string path, InstalledFilters& filters)
    : impl_(std::make_unique<Impl>(file, std::move(path), filters)) {}

FolderFile::~FolderFile() = default;

const std::string& FolderFile::path() const { return impl_->path; }

std::string FolderFile::modified() const {
  const timespec& time = impl_->status.st_mtim;
  std::tm parts = {};
  ::gmtime_r(&time.tv_sec, &parts);
  std::array<char, 80> text = {};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%09ldZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, time.tv_nsec);
  return text.data();
}

std::string FolderFile::size() const { return std::to_string(impl_->status.st_size); }

const FileKind& FolderFile::kind() const { return impl_->kind; }

bool FolderFile::is_readable() const {
  const Filter* const filter = impl_->kind.filter;
  if (filter != nullptr) return !impl_->filters.path_of(*filter).empty();
  return impl_->kind.form != FileKind::Form::kUnknown;
}

std::uint64_t FolderFile::read_bytes() const {
  return impl_->mails == nullptr ? 0 : impl_->mails->read_bytes();
}

std::optional<Record> FolderFile::next() {
  if (!std::exchange(impl_->is_started, true)) {
    impl_->ahead = impl_->read();
    if (!impl_->ahead) throw Error(Errc::kCorrupt, "has no header of a message");
  }
  if (!impl_->ahead) return {};

  // Only the last one says when the file was modified, so the one behind it is read first.
  Record record = std::move(*impl_->ahead);
  impl_->ahead = impl_->read();
  if (!impl_->ahead && impl_->is_settled()) {
    record.fields[kModifiedKey] = modified();
    record.fields[kSizeKey] = size();
  }
  return record;
}

}  // namespace kindred
