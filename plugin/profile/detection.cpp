#include "plugin/profile/detection.h"

#include <optional>
#include <utility>

#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {
namespace {

/// "" also for a kind of database that has no metadata.
std::string metadata(const Xapian::Database& database, const std::string& key) {
  try {
    return database.get_metadata(key);
  } catch (const Xapian::UnimplementedError&) {
    return "";
  }
}

/// The first value under a prefix, and the data of the first document that has it.
struct FirstValue {
  std::string value, data;
};

std::optional<FirstValue> first_under(const Xapian::Database& database, const std::string& prefix) {
  const TermReader terms(database, prefix);
  const auto value = terms.at_end() ? std::nullopt : value_under(prefix, terms.term());
  if (!value) return {};
  const PostingReader list(database, terms.term());
  if (list.at_end()) return {};
  return FirstValue{std::string(*value), database.get_document(list.docid()).get_data()};
}

/// notmuch says in the metadata which features the format of its index has.
bool is_notmuch(const Xapian::Database& database) {
  return !metadata(database, "version").empty() &&
         metadata(database, "features").find("relative directory paths") != std::string::npos;
}

/// Version 1.8 names the folder of the mail "maildir", later ones "root-maildir".
bool is_mu(const Xapian::Database& database) {
  return !metadata(database, "schema-version").empty() &&
         !(metadata(database, "maildir") + metadata(database, "root-maildir")).empty();
}

/// The full-text index of a ZIM file, which names its value slots.
bool is_index_of_zim(const Xapian::Database& database) {
  return metadata(database, "kind") == "fulltext" &&
         metadata(database, "valuesmap").starts_with("title:0;");
}

bool is_recoll(const Xapian::Database& database) {
  return !metadata(database, "RCL_IDX_VERSION_KEY").empty();
}

/// Keys are twelve digits under QQ, and the data are a pickle of Python.
bool is_xapian_haystack(const Xapian::Database& database) {
  const auto first = first_under(database, "QQ");
  return first && first->value.size() == 12 && first->data.starts_with('\x80') &&
         first->value.find_first_not_of("0123456789") == std::string::npos;
}

/// The data of a document are the name of the package, which is its id.
bool is_apt_xapian_index(const Xapian::Database& database) {
  const auto first = first_under(database, "XP");
  return first && first->value == first->data;
}

/// Ids are URLs, and the URL is a line of the data.
bool is_omega(const Xapian::Database& database) {
  const auto first = first_under(database, "U");
  return first && ("\n" + first->data).find("\nurl=") != std::string::npos;
}

}  // namespace

std::string detected_profile(const Xapian::Database& database) {
  using Test = bool (*)(const Xapian::Database&);
  constexpr std::pair<const char*, Test> kTests[] = {{"notmuch", is_notmuch},
                                                     {"recoll", is_recoll},
                                                     {"mu", is_mu},
                                                     {"zim", is_index_of_zim},
                                                     {"xapian-haystack", is_xapian_haystack},
                                                     {"apt-xapian-index", is_apt_xapian_index},
                                                     {"omega", is_omega}};
  for (const auto& [name, test] : kTests) {
    if (test(database)) return name;
  }
  return "none";
}

}  // namespace kindred
