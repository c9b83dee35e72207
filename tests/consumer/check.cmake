# Installs the build, builds the consumer against it and compares its output with the program's.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(code)
    message(FATAL_ERROR "${ARGN}\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=address,undefined")
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/installed
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${WORK}/build/consumer OUTPUT_FILE ${WORK}/consumer.json
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} resnet18 --gpu a100 --json OUTPUT_FILE ${WORK}/program.json
                COMMAND_ERROR_IS_FATAL ANY)
run(${CMAKE_COMMAND} -E compare_files ${WORK}/consumer.json ${WORK}/program.json)
