# Installs what hosts need: libkindred.so with its name, version and exports, its headers, and the
# files by which CMake (find_package(kindred)) and pkg-config find them.
include(CMakePackageConfigHelpers)

target_include_directories(kindred_shared PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kindred>)
target_link_libraries(kindred_shared PUBLIC PkgConfig::XAPIAN)
target_compile_features(kindred_shared INTERFACE cxx_std_20)
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
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(header
    plugin/kindred.h
    plugin/engine.h plugin/classify/analyzed_record.h
    plugin/answers/classification.h plugin/answers/related.h plugin/answers/related_evaluation.h plugin/answers/neighborhood.h
    plugin/related/knn_source.h
    plugin/answers/prefix_count.h plugin/answers/candidates.h plugin/answers/class_geometry.h plugin/answers/duplicates.h
    plugin/answers/suspects.h
    plugin/documents/tag_edit.h plugin/documents/tag_spy.h
    plugin/answers/tag_limits.h plugin/writing/tagging.h
    plugin/answers/topics.h plugin/topics/map.h plugin/writing/topic_assignment.h
    plugin/writing/ingest.h plugin/writing/related_store.h plugin/input/record.h plugin/input/record_reader.h
    plugin/input/query_analysis.h
    plugin/evaluate/evaluate.h plugin/evaluate/label_ranking.h plugin/evaluate/reliability.h
    plugin/votes/tune_request.h plugin/votes/tuning.h plugin/votes/tagging_method.h
    plugin/votes/combiner.h plugin/votes/label_feature.h
    analyzer/analyzer.h analyzer/term_bag.h
    config/api.h config/error.h config/log.h config/settings.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kindred/${folder})
endforeach()

set(kindred_package ${CMAKE_INSTALL_LIBDIR}/cmake/kindred)
install(EXPORT kindredTargets NAMESPACE kindred:: DESTINATION ${kindred_package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/config/kindredConfig.cmake.in
  kindredConfig.cmake INSTALL_DESTINATION ${kindred_package})
# Below 1.0 a minor version may change the C++ face.
write_basic_package_version_file(kindredConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/kindredConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/kindredConfigVersion.cmake
  DESTINATION ${kindred_package})

# kindred.pc finds its prefix from its own place, so that the tree can be moved. With an absolute
# CMAKE_INSTALL_LIBDIR, as some distributions set it, the tree cannot be moved.
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
configure_file(${PROJECT_SOURCE_DIR}/config/kindred.pc.in kindred.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kindred.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
