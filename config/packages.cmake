# Debian packages of what is installed: cpack -G DEB in the build folder. Configure it with
# CMAKE_INSTALL_PREFIX=/usr, so that the library goes where Debian keeps those of this architecture.
#
# Each component is a package; the server is one if it is built and installs something.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kindred)
set(CPACK_PACKAGE_VENDOR Kindred)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/config/debian/complete.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/config/debian/without_scripts.cmake)
set(CPACK_KINDRED_SOURCE ${PROJECT_SOURCE_DIR})
set(KINDRED_MAINTAINER "The Kindred developers <kindred@xapian.invalid>" CACHE STRING
  "Name and address in Debian packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${KINDRED_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)  # Debian's own would be newer
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/plugin)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# kindred_package(COMPONENT NAME SECTION DEPENDS SUMMARY DESCRIPTION): with "DEPENDS" beside what
# dpkg-shlibdeps finds. The lines of the description are those of the control file.
macro(kindred_package component name section depends summary description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
endmacro()

set(library libkindred${PROJECT_VERSION_MAJOR})
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(about "Kindred tags documents and finds related ones, for search servers
built on Xapian. It reads the index that the server already has, and
answers by exact nearest neighbors.
")

set(CPACK_COMPONENTS_ALL)
kindred_package(library ${library} libs ""
  "related documents and automatic tags from a Xapian index"
  "${about}.\nThis is the library that search servers load.")
kindred_package(development libkindred-dev libdevel "${library} ${same_version}"
  "related documents and automatic tags from a Xapian index (development)"
  "${about}.\nThese are the headers of its C ABI and of its C++ face, with what
CMake and pkg-config need. The C++ face needs libxapian-dev.")
# dpkg-shlibdeps reads from the first file on which package programs with this library depend.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
  "libkindred ${PROJECT_VERSION_MAJOR} ${library} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS libxapian-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libcsv-dev, libicu-dev, libserd-dev, libtomlplusplus-dev, libxml2-dev, libxxhash-dev, nlohmann-json3-dev")  # of kindred::service
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
kindred_package(program kindred utils "${library} ${same_version}"
  "tag documents of a Xapian index and find related ones"
  "${about}.\nThis is the program for the command line, with its manual.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS
  "antiword, catdoc, djvulibre-bin, poppler-utils, unrtf, unzip")  # which read files of folders
kindred_package(hosts kindred-hosts utils "kindred ${same_version}, python3"
  "tags and related documents in notmuch, mu, Kiwix, Omega and others"
  "${about}.\nThese are hooks for notmuch and mu, templates for Omega, a backend for
Haystack, a field for Recoll, and a script for the pages of kiwix-serve, in
/usr/share/kindred/hosts.")
set(CPACK_DEBIAN_HOSTS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_HOSTS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_HOSTS_PACKAGE_SUGGESTS
  "notmuch, maildir-utils, kiwix-tools, xapian-omega, python3-xapian-haystack, python3-kindred, recollcmd")
kindred_package(python python3-kindred python "${library} ${same_version}, python3 (>= 3.9)"
  "related documents and automatic tags from a Xapian index (Python)"
  "${about}.\nThis is the library for Python, and a classifier for scikit-learn.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-sklearn")
kindred_package(imap kindred-imap mail "python3-kindred ${same_version}, python3 (>= 3.11)"
  "files new mail of an IMAP server as similar mail was filed"
  "${about}.\nThis is a program for mailboxes on any IMAP server: it files or marks new
mail, learns from what people move, and finds mails like one.")
set(CPACK_DEBIAN_IMAP_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_IMAP_PACKAGE_SHLIBDEPS OFF)
get_cmake_property(components COMPONENTS)
if(server IN_LIST components)
  kindred_package(server kindred-server web
    "${library} ${same_version}, systemd | systemd-sysusers, systemd | systemd-tmpfiles"
    "search server with automatic tags and related documents"
    "${about}.\nThis is a search server with a JSON API and pages for people, which
loads the library, as a service with an index of its own.")
  set(scripts ${PROJECT_SOURCE_DIR}/config/debian/server)
  set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA
    ${scripts}/postinst ${scripts}/prerm ${scripts}/postrm ${scripts}/conffiles)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT program)
install(FILES README.md config/kindred.toml
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY
  examples/hosts/notmuch examples/hosts/mu examples/hosts/kiwix examples/hosts/omega examples/hosts/haystack examples/hosts/recoll
  DESTINATION ${CMAKE_INSTALL_DATADIR}/kindred/hosts COMPONENT hosts USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)
install(FILES config/kindred.toml
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kindred COMPONENT program)
# Python looks there below /usr alone, so it is for the package only. With other prefixes, pip takes
# the folder python/.
install(DIRECTORY python/kindred python/kindred-${PROJECT_VERSION}.dist-info
  DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE)
# It needs that package.
set(imap examples/hosts/imap)
install(PROGRAMS ${imap}/kindred-imap DESTINATION bin COMPONENT imap EXCLUDE_FROM_ALL)
install(FILES ${imap}/kindred-imap.service
  DESTINATION lib/systemd/user COMPONENT imap EXCLUDE_FROM_ALL)
install(FILES ${imap}/kindred-imap.1 DESTINATION share/man/man1 COMPONENT imap EXCLUDE_FROM_ALL)
include(CPack)
