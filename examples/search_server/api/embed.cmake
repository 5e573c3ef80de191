# cmake -D FROM=... -D TO=... -P embed.cmake: a header with the JSON file as kOpenApi. Compilers take
# literals of 64 KiB, so it is written as several, which they join.
file(READ ${FROM} text)
string(LENGTH "${text}" length)
set(parts "")
set(begin 0)
while(begin LESS length)
  string(SUBSTRING "${text}" ${begin} 8000 part)
  string(APPEND parts "\n    R\"json(${part})json\"")
  math(EXPR begin "${begin} + 8000")
endwhile()
file(WRITE ${TO} "#pragma once\n\n#include <string_view>\n\nnamespace search_server {\n\ninline constexpr std::string_view kOpenApi =${parts};\n\n}  // namespace search_server\n")
