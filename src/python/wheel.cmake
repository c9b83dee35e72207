# The target `wheel`: the package for Python, with the program and its libraries inside.
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND)
  set(wheel_prefix ${PROJECT_BINARY_DIR}/wheel)
  set(install_for_wheel ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${wheel_prefix} --strip)
  add_custom_target(wheel
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${wheel_prefix}
    COMMAND ${install_for_wheel} --component program
    COMMAND ${install_for_wheel} --component libraries
    COMMAND ${Python3_EXECUTABLE} -I ${CMAKE_CURRENT_LIST_DIR}/backend.py ${wheel_prefix}
            ${PROJECT_BINARY_DIR}
    DEPENDS roofline
    COMMENT "Packing the program for Python"
    VERBATIM)
endif()
