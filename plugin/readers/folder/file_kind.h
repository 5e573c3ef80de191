#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// A program that writes the text of a file to its standard output.
struct Filter {
  enum class Output { kText, kMarkup };

  std::vector<std::string> ends;  ///< of names, without the dot
  std::string program;
  std::vector<std::string> options;  ///< before the file; where the program knows "--", it is last
  std::vector<std::string> parts;    ///< arguments behind the file, as those of an archive
  std::string package;               ///< of Debian, which has the program
  Output output = Output::kText;     ///< UTF-8, or HTML or XML
  int partly_good = 0;               ///< the status where it lacks some of the parts
};

/// How a file of a folder is read.
struct FileKind {
  enum class Form { kText, kMarkdown, kHtml, kMessage, kMailbox, kFiltered, kUnknown };

  Form form = Form::kUnknown;
  const Filter* filter = nullptr;  ///< of kFiltered
};

/// Knows a file by the end of its name, in any case of letters: .txt, .md, .html, .eml, .mbox and
/// the like, and those that a filter reads. What lies in the folders `cur` and `new` of a Maildir
/// is a message. `start`: the first bytes of the file, some 500, by which a mailbox is known whose
/// name has no such end, and what is called .doc.
FileKind kind_of_file(std::string_view path, std::string_view start);

/// The end of a name with its dot, in lower case: ".txt"; "" if there is none.
std::string end_of_name(std::string_view path);

}  // namespace kindred
