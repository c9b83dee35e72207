# Packs the program with its libraries, and runs it in a root that holds the archive and the C library
# alone.

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CPACK} -G TGZ --config ${BUILD}/CPackConfig.cmake -B ${WORK}
                OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
file(GLOB archive ${WORK}/roofline-${VERSION}-*.tar.gz)
if(code OR NOT archive)
  message(FATAL_ERROR "${text}")
endif()
file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${WORK})
string(REGEX REPLACE "\\.tar\\.gz$" "" root ${archive})

# "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)", "/lib64/ld-linux-x86-64.so.2 (0x...)"
execute_process(COMMAND ldd ${PROGRAM} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "/[^ \n]*/(ld-linux[^ /]*|lib(c|m|dl|rt|pthread)\\.so[^ ]*)" c_library "${needed}")
foreach(file IN LISTS c_library)
  get_filename_component(folder ${file} DIRECTORY)
  file(COPY ${file} DESTINATION ${root}/${folder} FOLLOW_SYMLINK_CHAIN)
endforeach()

file(WRITE ${root}/conv.json
     [[{"in_channels": 64, "input_size": 56, "out_channels": 64, "kernel_size": 3}]])
# The loader asks /proc where a program lies.
file(MAKE_DIRECTORY ${root}/proc)
execute_process(
  COMMAND unshare --map-root-user --mount sh -c
          "mount --rbind /proc '${root}/proc' && chroot '${root}' /bin/roofline conv.json --gpu v100 --json"
  OUTPUT_VARIABLE result RESULT_VARIABLE code ERROR_VARIABLE error)
# 64 x 64 x 9 products at each of 54 x 54 positions.
if(code OR NOT result MATCHES "\"macs\": 107495424")
  message(FATAL_ERROR "exit ${code}: ${error}${result}")
endif()
