#include "plugin/readers/folder/file_kind.h"

#include <algorithm>
#include <utility>

#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// A zip archive of markup. `parts`: those that have the title and the text.
Filter archive(std::vector<std::string> ends, std::vector<std::string> parts) {
  constexpr int kLacksParts = 11;
  return {std::move(ends),         "unzip",    {"-p", "--"}, std::move(parts), "unzip",
          Filter::Output::kMarkup, kLacksParts};
}

/// The programs that omindex takes for these files, too.
const std::vector<Filter>& filters() {
  constexpr auto kMarkup = Filter::Output::kMarkup;
  static const std::vector<Filter> kFilters = {
      {{"pdf"}, "pdftotext", {"-q", "-enc", "UTF-8", "--"}, {"-"}, "poppler-utils"},
      {{"rtf"}, "unrtf", {"--nopict", "--html"}, {}, "unrtf", kMarkup},
      {{"doc", "dot"}, "antiword", {"-m", "UTF-8.txt", "-w", "0", "--"}, {}, "antiword"},
      {{"xls", "xlb", "xlt", "xla"}, "xls2csv", {"-d", "utf-8", "-q", "0", "--"}, {}, "catdoc"},
      {{"ppt", "pps"}, "catppt", {"-d", "utf-8", "--"}, {}, "catdoc"},
      archive({"docx", "docm", "dotx", "dotm"},
              {"docProps/core.xml", "word/document.xml", "word/footnotes.xml"}),
      archive({"pptx", "pptm", "potx", "ppsx"}, {"docProps/core.xml", "ppt/slides/slide*.xml"}),
      archive({"xlsx", "xlsm", "xltx"}, {"docProps/core.xml", "xl/sharedStrings.xml"}),
      archive({"odt", "ods", "odp", "odg", "ott", "ots", "otp", "sxw", "sxc", "sxi"},
              {"meta.xml", "content.xml"}),
      archive({"epub"}, {"*.opf", "*.xhtml", "*.html", "*.htm"}),
      {{"wpd"}, "wpd2text", {}, {}, "libwpd-tools"},
      {{"wps", "wpt"}, "wps2text", {}, {}, "libwps-tools"},
      {{"pub"}, "pub2xhtml", {}, {}, "libmspub-tools", kMarkup},
      {{"djvu", "djv"}, "djvutxt", {}, {}, "djvulibre-bin"},
  };
  return kFilters;
}

const Filter* filter_of(std::string_view end) {
  for (const Filter& filter : filters())
    if (std::ranges::find(filter.ends, end) != filter.ends.end()) return &filter;
  return nullptr;
}

/// True for a path such as "inbox/cur/1700000000.M1P2.host:2,S".
bool is_in_maildir(std::string_view path) {
  const std::string_view folder = path.substr(0, path.rfind('/') + 1);
  return folder == "cur/" || folder == "new/" || folder.ends_with("/cur/") ||
         folder.ends_with("/new/");
}

/// True for the line that begins a message of a mailbox, and a header below it.
bool is_mailbox(std::string_view start) {
  if (!start.starts_with("From ")) return false;
  const std::size_t line = start.find('\n');
  if (line == start.npos) return false;
  const std::string_view header = start.substr(line + 1);
  const std::size_t colon = header.find(':');
  return colon != header.npos && colon > 0 && header.find_first_of(" \t\r\n") > colon;
}

/// The filter by what the file begins with, where names of one end stand for several forms.
const Filter* filter_by_start(const Filter* filter, std::string_view start) {
  if (filter == nullptr || filter->program != "antiword") return filter;
  if (start.starts_with("{\\rtf")) return filter_of("rtf");
  if (start.starts_with("PK\3\4")) return filter_of("docx");
  constexpr std::string_view kOle = "\xD0\xCF\x11\xE0";
  return start.starts_with(kOle) ? filter : nullptr;
}

}  // namespace

std::string end_of_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size()) return "";
  return lower_ascii(name.substr(dot));
}

FileKind kind_of_file(std::string_view path, std::string_view start) {
  using Form = FileKind::Form;
  const std::string end = end_of_name(path);
  if (end == ".txt" || end == ".text") return {Form::kText};
  if (end == ".md" || end == ".markdown") return {Form::kMarkdown};
  if (end == ".html" || end == ".htm" || end == ".xhtml" || end == ".shtml") return {Form::kHtml};
  if (end == ".eml") return {Form::kMessage};
  if (end == ".mbox" || end == ".mbx") return {Form::kMailbox};

  const Filter* filter = end.empty() ? nullptr : filter_of(end.substr(1));
  filter = filter_by_start(filter, start);
  if (filter != nullptr) return {Form::kFiltered, filter};

  if (is_in_maildir(path)) return {Form::kMessage};
  if (is_mailbox(start)) return {Form::kMailbox};
  return {};
}

}  // namespace kindred
