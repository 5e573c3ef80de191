#include "plugin/cli/pages/drawing/font_letters.h"

#include <fontconfig/fontconfig.h>
#include <pango/pangofc-fontmap.h>
#include <pango/pangoft2.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace kindred::cli {
namespace {

constexpr double kMeasured = 100;  // the font size in which texts are measured, in pixels

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename Object>
using Owned = std::unique_ptr<Object, Unref>;

/// Outlines as they are: no strike made for a size, and no color.
void want_outlines(FcPattern* pattern, gpointer) {
  FcPatternAddBool(pattern, FC_HINTING, FcFalse);
  FcPatternAddBool(pattern, FC_EMBEDDED_BITMAP, FcFalse);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcPatternAddBool(pattern, FC_COLOR, FcFalse);
}

/// Where the ink of a text is. In font sizes, from the left end of its baseline, y downwards.
struct Measures {
  double left = 0, right = 0, top = 0, bottom = 0;
  /// By which it is drawn smaller than the font size, so that scripts with marks above and below
  /// are no higher than one.
  double shrink() const { return std::min(1.0, 1 / std::max(bottom - top, 1e-6)); }
};

/// Text in pixels of a font size, ready to be drawn.
struct LaidOut {
  Owned<PangoLayout> layout;
  PangoRectangle ink = {};  // in pixels, from the upper left corner of the layout
};

class FontLetters : public DrawnLetters {
 public:
  explicit FontLetters(const std::string& language) : fonts_(pango_ft2_font_map_new()) {
    pango_fc_font_map_set_default_substitute(PANGO_FC_FONT_MAP(fonts_.get()), want_outlines,
                                             nullptr, nullptr);
    context_.reset(pango_font_map_create_context(fonts_.get()));
    pango_context_set_round_glyph_positions(context_.get(), FALSE);
    if (!language.empty())
      pango_context_set_language(context_.get(), pango_language_from_string(language.c_str()));
  }

  std::optional<double> width(const std::string& text) const override {
    const std::optional<Measures>& its = measures(text);
    return its ? std::optional((its->right - its->left) * its->shrink()) : std::nullopt;
  }

  void draw(Canvas& canvas, const PlacedLine& line, double grown,
            const Color& color) const override {
    const std::optional<Measures>& its = measures(line.text);
    if (!its) return;
    const double size = line.size * its->shrink();
    const LaidOut text = lay_out(line.text, size * canvas.scale());
    // The baseline of other lines, but so that no ink leaves the line.
    const double baseline = std::clamp(kBaseline * line.size, -0.5 * line.size - its->top * size,
                                       0.5 * line.size - its->bottom * size);
    const Point corner = {line.middle.x - line.width / 2,
                          line.middle.y + baseline + its->top * size};
    canvas.stamp(corner, ink_of(text), grown * line.size, color);
  }

 private:
  LaidOut lay_out(const std::string& text, double pixels) const {
    LaidOut laid;
    laid.layout.reset(pango_layout_new(context_.get()));
    PangoFontDescription* const face = pango_font_description_from_string("Sans Medium");
    pango_font_description_set_absolute_size(face, pixels * PANGO_SCALE);
    pango_layout_set_font_description(laid.layout.get(), face);
    pango_font_description_free(face);
    pango_layout_set_single_paragraph_mode(laid.layout.get(), TRUE);
    pango_layout_set_text(laid.layout.get(), text.data(), static_cast<int>(text.size()));
    pango_layout_get_pixel_extents(laid.layout.get(), &laid.ink, nullptr);
    return laid;
  }

  static Ink ink_of(const LaidOut& text) {
    Ink ink{
        static_cast<std::size_t>(text.ink.width), static_cast<std::size_t>(text.ink.height), {}};
    std::vector<unsigned char> gray(ink.width * ink.height);
    FT_Bitmap bitmap = {};
    bitmap.width = static_cast<unsigned>(ink.width);
    bitmap.rows = static_cast<unsigned>(ink.height);
    bitmap.pitch = static_cast<int>(ink.width);
    bitmap.buffer = gray.data();
    bitmap.num_grays = 256;
    bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
    pango_ft2_render_layout(&bitmap, text.layout.get(), -text.ink.x, -text.ink.y);
    for (const unsigned char sample : gray) ink.samples.push_back(sample >= 128);
    return ink;
  }

  /// Nothing if a letter is in no font, or has no ink there.
  const std::optional<Measures>& measures(const std::string& text) const {
    const auto [found, is_new] = measured_.try_emplace(text);
    if (!is_new) return found->second;
    const LaidOut laid = lay_out(text, kMeasured);
    if (pango_layout_get_unknown_glyphs_count(laid.layout.get()) > 0 || laid.ink.width == 0)
      return found->second;
    const double baseline =
        static_cast<double>(pango_layout_get_baseline(laid.layout.get())) / PANGO_SCALE;
    found->second = {laid.ink.x / kMeasured, (laid.ink.x + laid.ink.width) / kMeasured,
                     (laid.ink.y - baseline) / kMeasured,
                     (laid.ink.y + laid.ink.height - baseline) / kMeasured};
    return found->second;
  }

  Owned<PangoFontMap> fonts_;
  Owned<PangoContext> context_;
  mutable std::map<std::string, std::optional<Measures>> measured_;
};

/// Pango ends the program where there is none.
bool is_any_font_here() {
  const FcFontSet* const fonts = FcConfigGetFonts(nullptr, FcSetSystem);
  return fonts != nullptr && fonts->nfont > 0;
}

}  // namespace

bool can_use_fonts() { return true; }

std::unique_ptr<DrawnLetters> font_letters(const std::string& language) {
  if (!is_any_font_here()) return nullptr;
  return std::make_unique<FontLetters>(language);
}

}  // namespace kindred::cli
