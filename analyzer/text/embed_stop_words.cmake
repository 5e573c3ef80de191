# Writes OUTPUT, a C++ source that holds every FOLDER/<language>.txt as a string literal.
# Run as: cmake -D FOLDER=... -D OUTPUT=... -P embed_stop_words.cmake
file(GLOB lists ${FOLDER}/*.txt)
list(SORT lists)
set(entries "")
foreach(list IN LISTS lists)
  get_filename_component(language ${list} NAME_WE)
  file(READ ${list} words)
  string(APPEND entries "    {\"${language}\", R\"words(${words})words\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from config/stopwords; edit the lists there.
#include \"analyzer/text/word_list.h\"

namespace kindred {
namespace {
constexpr BuiltinStopWords kLists[] = {
${entries}};
}  // namespace

std::span<const BuiltinStopWords> builtin_stop_words() { return kLists; }
}  // namespace kindred
")
