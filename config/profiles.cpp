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

constexpr std::array kProfiles = {
    Profile{"notmuch", kNotmuch, ""},
    Profile{"omega", kOmega, "QU"},  // index scripts: Q; omindex: U
    Profile{"apt-xapian-index", kAptXapianIndex, ""},
    Profile{"recoll", kRecoll, ""},
    Profile{"xapian-haystack", kXapianHaystack, ""},
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  const auto found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                  [&](const Profile& profile) { return profile.name == name; });
  return found == kProfiles.end() ? nullptr : &*found;
}

std::string listed_profiles() {
  std::string list;
  for (const Profile& profile : kProfiles)
    list += (list.empty() ? "" : ", ") + std::string(profile.name);
  return list;
}

}  // namespace kindred
