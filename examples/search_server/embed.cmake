# cmake -D TO=FILE.h -D AS=kNAME -P embed.cmake FILES...: a header with an array of the names
# of text files and what is in them. Compilers take literals of 64 KiB, so each file is written as
# several, which they join.
math(EXPR last "${CMAKE_ARGC} - 1")
set(entries "")
foreach(i RANGE 7 ${last})
  set(file "${CMAKE_ARGV${i}}")
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(parts "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 part)
    string(APPEND parts "\n     R\"embedded(${part})embedded\"")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  string(APPEND entries "\n    {\"${name}\",${parts}},")
endforeach()
file(WRITE ${TO} "#pragma once

#include <string_view>
#include <utility>

namespace search_server {

inline constexpr std::pair<std::string_view, std::string_view> ${AS}[] = {${entries}
};

}  // namespace search_server
")
