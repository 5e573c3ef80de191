# Completes what cpack has installed, one folder for each package, as Debian wants it: a copyright and
# a changelog for each, manual pages compressed, completions where Debian's zsh looks for those of
# packages, a unit that starts /usr/bin/kindred-server, and the settings of that service. cpack runs
# this before it makes the packages.
cmake_minimum_required(VERSION 3.22)
find_program(GZIP gzip REQUIRED)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(TIMESTAMP ${CPACK_KINDRED_SOURCE}/docs/changelog.md date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(COPY ${CPACK_KINDRED_SOURCE}/config/debian/copyright DESTINATION ${root}/doc/${package})
  file(WRITE ${root}/doc/${package}/changelog.Debian
    "${CPACK_PACKAGE_NAME} (${version}) unstable; urgency=medium\n\n"
    "  * Version ${CPACK_PACKAGE_VERSION}; docs/changelog.md says what has changed.\n\n"
    " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
  if(EXISTS ${root}/zsh/site-functions)
    file(RENAME ${root}/zsh/site-functions ${root}/zsh/vendor-completions)
  endif()
  set(unit ${root}/../lib/systemd/system/kindred-server.service)
  if(EXISTS ${unit})
    set(KINDRED_BINDIR /usr/bin)
    configure_file(
      ${CPACK_KINDRED_SOURCE}/examples/search_server/deploy/kindred-server.service.in ${unit} @ONLY)
    file(READ ${root}/kindred-server/kindred-server.toml settings)
    foreach(line "database = \"/var/lib/kindred/index\"" "create = true"
        "token_file = \"/var/lib/kindred/token\"")
      string(REGEX MATCH "^[a-z_]+ = " key ${line})
      string(REGEX REPLACE "\n${key}[^\n]*" "\n${line}" settings "${settings}")
    endforeach()
    file(WRITE ${root}/../../etc/kindred/kindred-server.toml "${settings}")
  endif()
  file(GLOB_RECURSE whole ${root}/man/*.[1-9] ${root}/doc/${package}/changelog.Debian)
  execute_process(COMMAND ${GZIP} -9n ${whole} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
