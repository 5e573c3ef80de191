#include "config/profiles.h"

#include <algorithm>
#include <array>

namespace kindred {
namespace {

constexpr std::string_view kNotmuch = R"(
[index]
id_prefix = "Q"  # notmuch, lib/prefix.cc: "id"
id_scheme = "id:"  # as notmuch search --output=messages prints ids
title_slot = 3  # notmuch, lib/database-private.h: NOTMUCH_VALUE_SUBJECT
[labels]
prefix = "K"  # notmuch, lib/prefix.cc: "tag"
# Tags that say in which state a mail is: those of notmuch new, notmuch insert, the flags of maildir
# (notmuch-config, maildir.synchronize_flags), and those that notmuch's clients set by themselves.
# auto/: what programs guessed, such as Kindred's hook (examples/hosts/notmuch).
system = ["inbox", "unread", "attachment", "signed", "encrypted", "replied", "draft", "flagged",
          "passed", "new", "deleted", "spam", "auto/*"]
[filter]  # notmuch, lib/prefix.cc
fields = ["tag=K", "is=K", "mid=Q", "thread=G", "path=P", "folder=XFOLDER:", "property=XPROPERTY"]
text_fields = ["subject=XSUBJECT", "title=XSUBJECT", "from=XFROM", "to=XTO",
               "attachment=XATTACHMENT", "mimetype=XMIMETYPE"]
)";

constexpr std::string_view kOmega = R"(
[index]
title_fields = ["title", "caption"]  # omindex: caption=; index scripts of Omega's manual: title=
[labels]
prefix = "K"  # Omega, docs/termprefixes: keywords
[filter]  # Omega, docs/termprefixes
fields = ["type=T", "ext=E", "host=H", "site=J", "path=P", "url=U", "owner=O", "date=D", "month=M",
          "year=Y"]
text_fields = ["author=A", "filename=F"]
)";

constexpr std::string_view kAptXapianIndex = R"(
[index]
id_prefix = "XP"  # axi/indexer.py: the name of the package
[labels]
prefix = "XT"  # plugins/debtags.py, plugins/apttags.py
[filter]  # the plugins: qp
fields = ["pkg=XP", "tag=XT", "sec=XS", "reldep=XRD", "relrec=XRR", "relsug=XRS", "relenh=XRE",
          "relpre=XRP", "relbre=XRB", "relcon=XRC"]
)";

constexpr std::string_view kRecoll = R"(
[analyzer]
fold_accents = true  # Recoll, indexStripChars = 1, its default: terms have no accents
[index]
id_prefix = "Q"  # Recoll, rcldb/rcldb.cpp: udi_prefix
title_fields = ["caption", "title"]  # Recoll, rcldb/rcldoc: the title is stored as caption
[labels]
prefix = "K"  # Recoll, fields: keywords, which are also the tags of extended attributes
system = ["XXST", "XXND"]  # Recoll, rcldb/rcldb.cpp: the marks at the ends of a field
[filter]  # Recoll, fields; the names are those of its query language
fields = ["mime=T", "mimetype=T", "ext=XE", "dir=XP"]
text_fields = ["author=A", "subject=S", "caption=S", "keyword=K", "recipient=XTO", "to=XTO",
               "abstract=XS", "filename=XSFN"]
)";

constexpr std::string_view kXapianHaystack = R"(
[index]
id_prefix = "Q"  # xapian_backend.py: TERM_PREFIXES[ID], application, model and key
not_ids = ["Q*"]  # xapian_backend.py: TERM_PREFIXES[DJANGO_ID] is QQ, the key alone
[labels]
prefix = "XTAGS"  # xapian_backend.py: X and the name of a field; this is the field "tags"
# xapian_backend.py: the marks at the ends of a text; haystack: tags_exact, which it makes for facets
system = ["^", "$", "_EXACT*"]
[filter]  # xapian_backend.py; other fields depend on the site
fields = ["django_ct=CONTENTTYPE"]
text_fields = ["title=XTITLE", "text=XTEXT", "tags=XTAGS"]
)";

constexpr std::string_view kMu = R"(
[analyzer]
language = "none"  # mu, lib/message/mu-document.cc: TermGenerator without a stemmer
fold_accents = true  # mu, lib/utils/mu-utils.cc: utf8_flatten
[index]
id_prefix = "I"  # mu, lib/message/mu-fields.hh: the shortcut of a field is its prefix
id_scheme = "msgid:"  # as mu's queries name message ids
title_fields = [":subject"]  # mu, lib/message/mu-document.cc: the data are a property list of Lisp
read_only = true  # mu makes its database anew whenever its schema changes
[labels]
prefix = "X"  # tags: mu, lib/message/mu-message.cc: X-Label, X-Keywords, Keywords
system = ["auto/*"]  # what Kindred guessed (examples/hosts/mu)
[mirror]
term_prefixes = ["B", "S"]  # the words of text and subject
[filter]  # mu-fields.hh; the names are those of mu's queries
fields = ["tag=X", "flag=G", "maildir=M", "prio=P", "mime=Y", "thread=W", "msgid=I", "list=V",
          "file=J", "lang=A"]
text_fields = ["body=B", "subject=S", "from=F", "to=T", "cc=C", "bcc=H", "embed=E"]
)";

constexpr std::string_view kZim = R"(
[analyzer]
fold_accents = true  # libzim, src/writer/xapianIndexer.cpp: removeAccents
[index]
id_scheme = "C/"  # where entries are since version 6.1 of the format; libzim names them without it
title_slot = 0  # its metadata, valuesmap; folded, so the archive itself is asked first
stemmed_words = true  # STEM_ALL; the language is in its metadata
read_only = true  # it is a part of a file
)";

constexpr std::array kProfiles = {
    Profile{"notmuch", kNotmuch, ""},
    Profile{"omega", kOmega, "QU"},  // index scripts: Q; omindex: U
    Profile{"apt-xapian-index", kAptXapianIndex, ""},
    Profile{"recoll", kRecoll, ""},
    Profile{"xapian-haystack", kXapianHaystack, ""},
    Profile{"mu", kMu, "", TextFolding::kMu},
    Profile{"zim", kZim, "", TextFolding::kZim},
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  const auto found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                  [&](const Profile& profile) { return profile.name == name; });
  return found == kProfiles.end() ? nullptr : &*found;
}

TextFolding folding_of(std::string_view name) {
  const Profile* profile = find_profile(name);
  return profile == nullptr ? TextFolding::kNone : profile->folding;
}

std::string listed_profiles() {
  std::string list;
  for (const Profile& profile : kProfiles)
    list += (list.empty() ? "" : ", ") + std::string(profile.name);
  return list;
}

}  // namespace kindred
