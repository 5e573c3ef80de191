# Pages that the program carries: files of their own, cut where data go, under a content security
# policy that lets in nothing but the script and style that stand in the file.

# base64_of_hex(RESULT HEX): the bytes that the digits name, as base64 (RFC 4648).
function(base64_of_hex result hex)
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(LENGTH "${hex}" length)
  set(text "")
  foreach(start RANGE 0 ${length} 6)
    math(EXPR left "(${length} - ${start}) / 2")  # bytes
    if(left EQUAL 0)
      break()
    endif()
    string(SUBSTRING "${hex}0000" ${start} 6 digits)
    math(EXPR bits "0x${digits}")
    foreach(shift 18 12 6 0)
      math(EXPR place "(${bits} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${place} 1 letter)
      if((left EQUAL 1 AND shift LESS 12) OR (left EQUAL 2 AND shift LESS 6))
        set(letter =)
      endif()
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  set(${result} ${text} PARENT_SCOPE)
endfunction()

# policy_source(RESULT PAGE TAG): what a policy calls the one <TAG> element of the page, if there is
# one, else 'none'.
function(policy_source result page tag)
  string(FIND "${page}" "<${tag}>" begin)
  string(FIND "${page}" "</${tag}>" end REVERSE)
  if(begin LESS 0)
    set(${result} "'none'" PARENT_SCOPE)
    return()
  endif()
  string(LENGTH "<${tag}>" length)
  math(EXPR begin "${begin} + ${length}")
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${page}" ${begin} ${length} content)
  string(SHA256 hash "${content}")
  base64_of_hex(hash ${hash})
  set(${result} "'sha256-${hash}'" PARENT_SCOPE)
endfunction()

# embed_page(NAME): NAME.html beside this file becomes NAME.h with KINDRED_PAGE_HEAD and
# KINDRED_PAGE_TAIL, what stands before and after @KINDRED_DATA@, and its policy in place of
# @KINDRED_POLICY@.
function(embed_page name)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}.html)
  file(READ ${folder}/${name}.html page)
  policy_source(script "${page}" script)
  policy_source(style "${page}" style)
  string(REPLACE "@KINDRED_POLICY@"
    "default-src 'none'; script-src ${script}; style-src ${style}; base-uri 'none'; form-action 'none'"
    page "${page}")
  string(FIND "${page}" "@KINDRED_DATA@" place)
  string(SUBSTRING "${page}" 0 ${place} KINDRED_PAGE_HEAD)
  math(EXPR place "${place} + 14")
  string(SUBSTRING "${page}" ${place} -1 KINDRED_PAGE_TAIL)
  set(KINDRED_PAGE ${name})
  configure_file(${folder}/page.h.in ${name}.h @ONLY)
endfunction()
