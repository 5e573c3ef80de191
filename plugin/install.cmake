# Installs what hosts need: libkindred.so with its name, version and exports, its headers, and the
# files by which CMake (find_package(kindred)) and pkg-config find them.
#
# There are two faces. Hosts of the C ABI use kindred::kindred or kindred.pc, and need nothing else.
# Hosts of the C++ face use kindred::cpp or kindred-cpp.pc, which bring Xapian's headers. A service
# in C++ that loads libkindred.so, as the search server does, uses kindred::service, an archive.
include(CMakePackageConfigHelpers)

# Hosts include <kindred/NAME>, where NAME is the path of the header without plugin/. The headers
# lie below include/ of the build tree as they are installed, for the hosts of examples/.
set(kindred_headers
  plugin/kindred.h plugin/engine.h plugin/answers.h plugin/progress.h plugin/requests.h
  plugin/questions.h plugin/ask/ask.h
  plugin/documents/stored_document.h plugin/input/example.h plugin/store/origin.h
  plugin/writing/ingest.h plugin/input/record.h plugin/query/parsed_query.h
  plugin/related/knn_source.h plugin/related/neighborhood.h plugin/documents/tag_spy.h
  analyzer/analysis_record.h analyzer/term_bag.h
  gpu/som/exchange.h
  config/api.h config/device_list.h config/error.h config/log.h config/pulse.h
  config/setting_structs.h config/settings.h
  # of kindred::service
  plugin/ask/question.h plugin/ask/question_table.h plugin/input/names.h plugin/store/zim_file.h
  plugin/input/record_reader.h plugin/readers/csv_reader.h plugin/readers/decoded_text.h
  plugin/readers/field_map.h plugin/readers/record_forms.h
  plugin/readers/vocabulary_file_reader.h
  analyzer/text/utf8.h
  config/guarded_file.h config/regular_file.h config/shown.h config/toml.h)
set(kindred_include ${PROJECT_BINARY_DIR}/include)
set(installed_headers ${kindred_headers})
list(TRANSFORM installed_headers REPLACE "^plugin/" "")
list(TRANSFORM installed_headers PREPEND ${kindred_include}/kindred/)
set(header_sources ${kindred_headers})
set(made_headers plugin/questions.h config/setting_structs.h)
list(REMOVE_ITEM header_sources ${made_headers})
list(TRANSFORM header_sources PREPEND ${PROJECT_SOURCE_DIR}/)
list(TRANSFORM made_headers PREPEND ${kindred_made}/)
add_custom_command(OUTPUT ${installed_headers}
  COMMAND ${CMAKE_COMMAND} -D "HEADERS=${kindred_headers}" -D SOURCE=${PROJECT_SOURCE_DIR}
    -D MADE=${kindred_made}
    -D TARGET=${kindred_include}/kindred -P ${CMAKE_CURRENT_LIST_DIR}/installed_headers.cmake
  DEPENDS ${header_sources} ${made_headers} kindred_settings_made
    ${CMAKE_CURRENT_LIST_DIR}/installed_headers.cmake
  COMMENT "Writing the headers as they are installed" VERBATIM)
add_custom_target(kindred_headers DEPENDS ${installed_headers})
add_dependencies(kindred_shared kindred_headers)
install(DIRECTORY ${kindred_include}/kindred DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development)

target_include_directories(kindred_shared PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${kindred_include}>
  $<BUILD_INTERFACE:${kindred_made}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(kindred_shared PRIVATE KINDRED_VERSION="${PROJECT_VERSION}")
target_link_options(kindred_shared PRIVATE
  "LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/libkindred.map" LINKER:--no-undefined-version)
set_target_properties(kindred_shared PROPERTIES
  OUTPUT_NAME kindred
  EXPORT_NAME kindred
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/libkindred.map)

install(TARGETS kindred_shared EXPORT kindredTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT library NAMELINK_COMPONENT development)

add_library(kindred_cpp INTERFACE)
add_library(kindred::cpp ALIAS kindred_cpp)
set_target_properties(kindred_cpp PROPERTIES EXPORT_NAME cpp)
target_link_libraries(kindred_cpp INTERFACE kindred_shared PkgConfig::XAPIAN)
target_compile_features(kindred_cpp INTERFACE cxx_std_20)
install(TARGETS kindred_cpp EXPORT kindredCppTargets)

# What a service needs around the library: the table of questions and checks of requests by it, names
# as JSON has them, UTF-8 and text that may be shown, settings in TOML, files that are what they seem.
# It is no part of libkindred.so, so that the service may load that as often as it likes.
add_library(kindred_service STATIC
  ask/question.cpp
  ask/question_table.cpp
  input/names.cpp
  store/zim_file.cpp
  ../analyzer/text/normal_form.cpp
  ../analyzer/text/utf8.cpp
  $<TARGET_OBJECTS:kindred_config>)
add_library(kindred::service ALIAS kindred_service)
add_dependencies(kindred_service kindred_headers)
target_include_directories(kindred_service
  PRIVATE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/ask
  INTERFACE $<BUILD_INTERFACE:${kindred_include}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(kindred_service SYSTEM
  INTERFACE $<BUILD_INTERFACE:${TOMLPLUSPLUS_INCLUDE_DIR}>)
target_compile_features(kindred_service INTERFACE cxx_std_20)
target_link_libraries(kindred_service
  PRIVATE $<BUILD_INTERFACE:kindred_build>
  PUBLIC ICU::uc PkgConfig::XXHASH nlohmann_json::nlohmann_json)
target_compile_options(kindred_service PRIVATE -O1)  # nothing here is hot
set_target_properties(kindred_service PROPERTIES UNITY_BUILD ${KINDRED_JOIN_SOURCES}
  OUTPUT_NAME kindred-service EXPORT_NAME service POSITION_INDEPENDENT_CODE ON)
install(TARGETS kindred_service EXPORT kindredServiceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# Readers of files in other forms than JSON Lines, for programs: libkindred.so does not have them,
# and hosts hand it JSON. Beside it a program links libkindred.so or the archive of a service.
add_library(kindred_readers STATIC
  input/input_file.cpp
  readers/collected_terms.cpp
  readers/csv_reader.cpp
  readers/decoded_text.cpp
  readers/field_map.cpp
  readers/rdf_triples.cpp
  readers/record_file.cpp
  readers/record_forms.cpp
  readers/text_lines.cpp
  readers/vocabulary_file_reader.cpp)
add_library(kindred::readers ALIAS kindred_readers)
add_dependencies(kindred_readers kindred_headers kindred_questions_made)
# The names of keys become a string literal.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/readers/field_names.txt)
file(READ readers/field_names.txt KINDRED_FIELD_NAMES)
configure_file(readers/field_names.h.in readers/field_names.h @ONLY)
target_include_directories(kindred_readers
  PRIVATE ${PROJECT_SOURCE_DIR} ${kindred_made} ${CMAKE_CURRENT_BINARY_DIR}/readers
  INTERFACE $<BUILD_INTERFACE:${kindred_include}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(kindred_readers SYSTEM PRIVATE ${CSV_INCLUDE_DIR})
target_compile_features(kindred_readers INTERFACE cxx_std_20)
target_link_libraries(kindred_readers
  PRIVATE $<BUILD_INTERFACE:kindred_build> ${CSV_LIBRARY} ICU::uc LibXml2::LibXml2 PkgConfig::SERD
    ZLIB::ZLIB
  PUBLIC nlohmann_json::nlohmann_json)
set_target_properties(kindred_readers PROPERTIES
  OUTPUT_NAME kindred-readers EXPORT_NAME readers POSITION_INDEPENDENT_CODE ON)
kindred_join_sources(kindred_readers)
# By itself, since it needs what the archive of a service has not: who reads no records does without.
set_source_files_properties(readers/record_file.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_precompile_headers(kindred_readers PRIVATE ${standard_headers} <nlohmann/json.hpp>)
install(TARGETS kindred_readers EXPORT kindredServiceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# Readers of folders, for the program alone: a server reads no files that it was not handed.
add_library(kindred_folders STATIC
  readers/folder/decoded_bytes.cpp
  readers/folder/file_kind.cpp
  readers/folder/filter_run.cpp
  readers/folder/folder_file.cpp
  readers/folder/folder_walk.cpp
  readers/folder/html_text.cpp
  readers/folder/mail_reader.cpp)
add_dependencies(kindred_folders kindred_headers kindred_questions_made)
target_link_libraries(kindred_folders
  PRIVATE kindred_build ICU::uc LibXml2::LibXml2 PkgConfig::XXHASH ${CMAKE_DL_LIBS}
  PUBLIC kindred_readers)
target_include_directories(kindred_folders PRIVATE ${PROJECT_SOURCE_DIR} ${kindred_made})
target_precompile_headers(kindred_folders PRIVATE ${standard_headers})
kindred_join_sources(kindred_folders)

# What reads mails, which the program loads when it meets one. It lies in kindred/ beside
# libkindred.so, in the build tree, too.
add_library(kindred_mail MODULE
  readers/folder/decoded_bytes.cpp
  readers/folder/gmime_reader.cpp
  readers/folder/html_text.cpp)
target_link_libraries(kindred_mail PRIVATE
  kindred_build kindred_readers kindred_shared ICU::uc LibXml2::LibXml2 PkgConfig::GMIME)
target_precompile_headers(kindred_mail PRIVATE ${standard_headers})
kindred_join_sources(kindred_mail)
set_target_properties(kindred_mail PROPERTIES PREFIX "" OUTPUT_NAME mail
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kindred)
install(TARGETS kindred_mail LIBRARY
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/kindred COMPONENT program)

set(kindred_package ${CMAKE_INSTALL_LIBDIR}/cmake/kindred)
install(EXPORT kindredTargets NAMESPACE kindred:: DESTINATION ${kindred_package}
  COMPONENT development)
install(EXPORT kindredCppTargets NAMESPACE kindred:: DESTINATION ${kindred_package}
  COMPONENT development)
install(EXPORT kindredServiceTargets NAMESPACE kindred:: DESTINATION ${kindred_package}
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/config/kindredConfig.cmake.in
  kindredConfig.cmake INSTALL_DESTINATION ${kindred_package})
# Below 1.0 a minor version may change the C++ face.
write_basic_package_version_file(kindredConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/kindredConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/kindredConfigVersion.cmake
  DESTINATION ${kindred_package} COMPONENT development)

# The .pc files find their prefix from their own place, so that the tree can be moved. With an
# absolute CMAKE_INSTALL_LIBDIR, as some distributions set it, the tree cannot be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(KINDRED_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" KINDRED_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(KINDRED_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(KINDRED_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
foreach(name kindred kindred-cpp)
  configure_file(${PROJECT_SOURCE_DIR}/config/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# cmake --build BUILD --target uninstall: removes what the last installation from BUILD wrote.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake VERBATIM)
endif()
