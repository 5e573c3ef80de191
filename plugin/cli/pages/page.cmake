# The HTML pages of the program. Each is a file of its own that is cut in two where its data go. Its
# content security policy allows only the script and style in that file.

# base64_of_hex(RESULT HEX): the bytes that the hexadecimal digits stand for, as base64 (RFC 4648).
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

# policy_source(RESULT PAGE TAG): the source expression of a policy that allows the <TAG> element of
# the page, or 'none' if the page has no such element.
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

# embed_page(NAME): makes NAME.h of NAME.html beside this file. The header has the text before
# @KINDRED_DATA@ (KINDRED_PAGE_HEAD) and after it (KINDRED_PAGE_TAIL), with the policy of the page in
# place of @KINDRED_POLICY@.
function(embed_page name)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(page_file ${folder}/${name}.html)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_file})
  file(READ ${page_file} page)
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
