# Installs the program and looks at what is there: the program, its manual page, its completions and
# its schemas, at the places where systems look for them.

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
foreach(prefix IN ITEMS ${WORK}/usr ${WORK}/usr/local)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component program --prefix ${prefix}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE files RELATIVE ${WORK} ${WORK}/*)
foreach(file IN ITEMS
        usr/bin/roofline
        usr/bin/roofline-calibrate
        usr/share/man/man1/roofline.1
        usr/share/man/man1/roofline-calibrate.1
        usr/share/bash-completion/completions/roofline
        usr/share/zsh/vendor-completions/_roofline
        usr/share/fish/vendor_completions.d/roofline.fish
        usr/share/roofline/schemas/input.json
        usr/share/roofline/schemas/output.json
        usr/share/doc/roofline/copyright
        usr/local/share/zsh/site-functions/_roofline)
  if(NOT file IN_LIST files)
    message(SEND_ERROR "not installed: ${file}")
  endif()
endforeach()

execute_process(COMMAND ${WORK}/usr/bin/roofline --version OUTPUT_VARIABLE version)
if(NOT version STREQUAL "roofline ${VERSION}\n")
  message(SEND_ERROR "expected version ${VERSION}, got ${version}")
endif()

# Every option of the help has its paragraph in the page, which manual pages' own checker accepts.
find_program(MANDOC mandoc)
foreach(program roofline roofline-calibrate)
  set(page ${WORK}/usr/share/man/man1/${program}.1)
  file(READ ${page} text)
  string(REPLACE "\\-" "-" text "${text}")
  execute_process(COMMAND ${WORK}/usr/bin/${program} --help all OUTPUT_VARIABLE help)
  string(REGEX MATCHALL "\n  [^ \n]*--[a-z-]+" options "${help}")
  list(LENGTH options count)
  if(count LESS 15)
    message(SEND_ERROR "expected at least 15 options in the help of ${program}, got ${count}")
  endif()
  foreach(option IN LISTS options)
    string(REGEX REPLACE ".*--" "--" option "${option}")
    if(NOT text MATCHES "\n\\.TP\n[^\n]*${option}[^a-z-]")
      message(SEND_ERROR "${program}.1 does not say what ${option} is")
    endif()
  endforeach()
  if(MANDOC)
    execute_process(COMMAND ${MANDOC} -T lint -W warning ${page} OUTPUT_VARIABLE complaints
                    ERROR_VARIABLE complaints)
    if(complaints)
      message(SEND_ERROR "${complaints}")
    endif()
  endif()
endforeach()
