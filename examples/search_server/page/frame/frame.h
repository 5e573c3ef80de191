#pragma once

#include <string>

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

/// What a view gives to the frame.
struct View {
  std::string title;  ///< of the document; the frame adds the name of the collection
  std::string said;   ///< what is read aloud when the view replaces another
  Html main;          ///< what lies in <main>; begins with its h1
  /// The same as JSON, or nothing.
  std::optional<Address> json;
};

/// The whole page, or only <main> for a fragment: head, skip link, search, navigation, the view,
/// and the foot.
std::string framed(const View& view, const PageContext& context);

}  // namespace search_server
