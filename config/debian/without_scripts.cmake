# Takes the scripts that cpack adds to packages with libraries out of them: they call ldconfig, which
# the trigger in the package does already. The server has its own. cpack runs this after it has made
# the packages.
cmake_minimum_required(VERSION 3.22)
foreach(package ${CPACK_PACKAGE_FILES})
  set(tree ${package}.tree)
  execute_process(COMMAND dpkg-deb -R ${package} ${tree} COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${tree}/DEBIAN/postinst AND NOT EXISTS ${tree}/DEBIAN/prerm)
    file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
    execute_process(COMMAND dpkg-deb --root-owner-group -b ${tree} ${package}
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(REMOVE_RECURSE ${tree})
endforeach()
