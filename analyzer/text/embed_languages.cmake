# Writes OUTPUT, a C++ source that holds the file INPUT as a string literal.
# Run as: cmake -D INPUT=... -D OUTPUT=... -P embed_languages.cmake
file(READ ${INPUT} content)
file(WRITE ${OUTPUT} "// Generated from config/languages.toml; edit that.
#include \"analyzer/text/language.h\"

namespace kindred {
std::string_view builtin_languages() { return R\"toml(${content})toml\"; }
}  // namespace kindred
")
