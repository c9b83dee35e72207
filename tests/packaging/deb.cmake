# Packs the program for Debian, takes the package apart again and runs what was in it.

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CPACK} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${WORK}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
file(GLOB package ${WORK}/roofline_${VERSION}_*.deb)
if(code OR NOT package)
  message(FATAL_ERROR "${text}")
endif()
execute_process(COMMAND dpkg-deb --field ${package} OUTPUT_VARIABLE fields
                COMMAND_ERROR_IS_FATAL ANY)
foreach(line IN ITEMS "Package: roofline\n" "Version: ${VERSION}\n" "Depends: [^\n]*libc6 "
                      "Depends: [^\n]*libfmt" "Depends: [^\n]*zlib1g" "Section: science\n")
  if(NOT fields MATCHES "${line}")
    message(SEND_ERROR "expected ${line} in\n${fields}")
  endif()
endforeach()
execute_process(COMMAND dpkg-deb --extract ${package} ${WORK}/root COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/root/usr/bin/roofline --version OUTPUT_VARIABLE version)
if(NOT version STREQUAL "roofline ${VERSION}\n")
  message(SEND_ERROR "expected version ${VERSION}, got ${version}")
endif()
foreach(file IN ITEMS man/man1/roofline.1 bash-completion/completions/roofline
        zsh/vendor-completions/_roofline fish/vendor_completions.d/roofline.fish
        roofline/schemas/gpu.json doc/roofline/copyright
        doc/roofline/changelog.gz)
  if(NOT EXISTS ${WORK}/root/usr/share/${file})
    message(SEND_ERROR "not packed: /usr/share/${file}")
  endif()
endforeach()
