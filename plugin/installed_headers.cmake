# Writes the headers HEADERS of the folder SOURCE below the folder TARGET as hosts see them: without
# plugin/ in their paths, and including each other by <kindred/...>, so that nothing but kindred/
# has to be on the path of includes.
#
# usage: cmake -D HEADERS=... -D SOURCE=... -D TARGET=... -P installed_headers.cmake
file(REMOVE_RECURSE ${TARGET})
foreach(header ${HEADERS})
  file(READ ${SOURCE}/${header} text)
  string(REGEX REPLACE "#include \"(plugin/)?([^\"]+)\"" "#include <kindred/\\2>" text "${text}")
  string(REGEX REPLACE "^plugin/" "" header ${header})
  file(WRITE ${TARGET}/${header} "${text}")
endforeach()
