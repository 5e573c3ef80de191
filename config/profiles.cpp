#include "config/profiles.h"

#include <algorithm>
#include <array>

#include "config/shown.h"
#include "profile_texts.h"

namespace kindred {
namespace {

constexpr std::array kProfiles = {
    // lib/database-private.h of notmuch: NOTMUCH_VALUE_LAST_MOD
    Profile{"notmuch", profile_notmuch, "", "", TextFolding::kNone, 4},
    Profile{"omega", profile_omega, "QU"},  // index scripts: Q; omindex: U
    Profile{"apt-xapian-index", profile_apt_xapian_index},
    Profile{"recoll", profile_recoll},
    Profile{"xapian-haystack", profile_xapian_haystack},
    Profile{"mu", profile_mu, "", "", TextFolding::kMu},
    Profile{"zim", profile_zim, "", "", TextFolding::kZim},
    Profile{"public-inbox", profile_public_inbox, "", "LG"},  // lei: L; inboxes: G
    Profile{"flatcurve", profile_flatcurve},
    Profile{"fts-xapian", profile_fts_xapian},
    Profile{"cyrus", profile_cyrus},
    Profile{"akonadi", profile_akonadi},
    Profile{"sup", profile_sup},
    Profile{"doxygen", profile_doxygen},
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found == kProfiles.end()) return nullptr;
  return &*found;
}

TextFolding folding_of(std::string_view name) {
  const Profile* profile = find_profile(name);
  if (profile == nullptr) return TextFolding::kNone;
  return profile->folding;
}

int revision_slot_of(std::string_view name) {
  const Profile* profile = find_profile(name);
  if (profile == nullptr) return -1;
  return profile->revision_slot;
}

std::string listed_profiles() {
  std::string list;
  for (const Profile& profile : kProfiles) append_item(list, profile.name);
  return list;
}

}  // namespace kindred
