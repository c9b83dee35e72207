# A program's manual page from its own help, so that the two cannot differ:
#   cmake -DPROGRAM=... -DNAME=... -DDATE=... -DOUTPUT=... -P man_page.cmake

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${PROGRAM} --help all OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
set(words "")
if(NAME STREQUAL "roofline")
  set(what_it_is "what bounds each layer of a neural network on a GPU, and how long it takes")
  execute_process(COMMAND ${PROGRAM} words OUTPUT_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
else()
  set(what_it_is "fits the expected times of roofline to layers that were measured")
endif()

# As troff wants it: backslashes and hyphens as they are, no dot or quote that begins a line.
foreach(text IN ITEMS help words)
  string(REPLACE "\\" "\\e" ${text} "${${text}}")
  string(REPLACE "-" "\\-" ${text} "${${text}}")
  string(REGEX REPLACE "(^|\n)( *)(['.])" "\\1\\2\\\\&\\3" ${text} "${${text}}")
endforeach()

# A line an item of a list; what CMake's lists take apart is put aside meanwhile.
string(ASCII 1 semicolon)
string(ASCII 2 opening)
string(ASCII 3 closing)
string(REPLACE ";" "${semicolon}" help "${help}")
string(REPLACE "[" "${opening}" help "${help}")
string(REPLACE "]" "${closing}" help "${help}")
string(REPLACE "\n" ";" lines "${help}")

# An option's names in bold, its value in italics.
function(heading text out)
  string(REGEX REPLACE "^([^ {]+)" "\\\\fB\\1\\\\fR" text "${text}")
  string(REGEX REPLACE "," "\\\\fR, \\\\fB" text "${text}")
  string(REGEX REPLACE "{(.*)}" "${opening}=\\\\fI\\1\\\\fR${closing}" text "${text}")
  string(REGEX REPLACE " ([A-Z][^ ]*)" " \\\\fI\\1\\\\fR" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(section description)
foreach(line IN LISTS lines)
  if(line MATCHES "^Usage: |^$")
    continue()
  elseif(line MATCHES "^Exit codes: (.*)")
    set(exit_codes "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^([A-Z].*):$")
    set(section options)
    if(NOT CMAKE_MATCH_1 STREQUAL "Positionals")
      string(APPEND options ".SS ${CMAKE_MATCH_1}\n")
    endif()
  elseif(section STREQUAL "description" AND line MATCHES "^ +(.*)")
    string(APPEND examples "${CMAKE_MATCH_1}\n")
  elseif(section STREQUAL "description")
    string(APPEND description "${line}\n")
  elseif(line MATCHES "^  [^ ]")
    string(STRIP "${line}" line)
    string(FIND "${line}" "  " end)
    string(SUBSTRING "${line}" 0 ${end} names)
    heading("${names}" names)
    string(APPEND options ".TP\n${names}\n")
    if(NOT end EQUAL -1)
      string(SUBSTRING "${line}" ${end} -1 line)
      string(STRIP "${line}" line)
      string(APPEND options "${line}\n")
    endif()
  else()
    string(STRIP "${line}" line)
    if(line MATCHES "^[^ ]+=")  # a key of the option
      string(APPEND options ".br\n")
    endif()
    string(APPEND options "${line}\n")
  endif()
endforeach()

string(TOUPPER "${NAME}" title)
string(REPLACE "-" "\\-" escaped_name "${NAME}")
set(page ".TH ${title} 1 ${DATE} \"${version}\" \"User Commands\"
.SH NAME
${escaped_name} \\- ${what_it_is}
.SH SYNOPSIS
.B ${escaped_name}
${opening}\\fIoptions\\fR${closing} \\fIinput\\fR ...
.SH DESCRIPTION
${description}.SH OPTIONS
${options}.SH EXIT STATUS
${exit_codes}
.SH EXAMPLES
.nf
${examples}.fi
")
if(words)
  string(APPEND page ".SH WORDS AND MARKS OF TABLES\n.nf\n${words}.fi\n")
endif()
string(REPLACE "${semicolon}" ";" page "${page}")
string(REPLACE "${opening}" "[" page "${page}")
string(REPLACE "${closing}" "]" page "${page}")
file(WRITE ${OUTPUT} "${page}")
