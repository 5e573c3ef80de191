# Writes the headers HEADERS of the folder SOURCE below the folder TARGET as hosts see them: without
# plugin/ in their paths, and including each other by <kindred/...>, so that nothing but kindred/
# has to be on the path of includes.
#
# Those that are made in the build tree are in the folder MADE.
#
# usage: cmake -D HEADERS=... -D SOURCE=... -D MADE=... -D TARGET=... -P installed_headers.cmake
file(REMOVE_RECURSE ${TARGET})
foreach(header ${HEADERS})
  set(source ${SOURCE})
  if(EXISTS ${MADE}/${header})
    set(source ${MADE})
  endif()
  file(READ ${source}/${header} text)
  string(REGEX REPLACE "#include \"(plugin/)?([^\"]+)\"" "#include <kindred/\\2>" text "${text}")
  string(REGEX REPLACE "^plugin/" "" header ${header})
  file(WRITE ${TARGET}/${header} "${text}")
endforeach()
