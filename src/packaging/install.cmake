# What is installed, in components: the program with all that belongs to it, the shared libraries that a
# machine may lack, and the library for those who build on it. `cpack` makes a Debian package of the
# first, and an archive of the first two that runs wherever the C library is not older.

set(packaging ${CMAKE_CURRENT_LIST_DIR})
set_target_properties(roofline roofline-calibrate PROPERTIES
                      INSTALL_RPATH "\$ORIGIN/../lib/roofline")
install(TARGETS roofline roofline-calibrate RUNTIME_DEPENDENCY_SET needed COMPONENT program)
install(RUNTIME_DEPENDENCY_SET needed
        PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread))\\.so"
        DESTINATION lib/roofline COMPONENT libraries EXCLUDE_FROM_ALL)

# Written at the time of installing, from what the installed programs say of themselves.
if(NOT CMAKE_CROSSCOMPILING)
  foreach(program roofline roofline-calibrate)
    install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}>
                    -DNAME=${program} -DDATE=${release_date}
                    -DOUTPUT=${PROJECT_BINARY_DIR}/${program}.1
                    -P ${packaging}/man_page.cmake COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
    install(FILES ${PROJECT_BINARY_DIR}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
            COMPONENT program)
  endforeach()
endif()
# Of bash and fish a file for each program, which they find by its name.
foreach(program roofline roofline-calibrate)
  install(FILES ${packaging}/roofline.bash RENAME ${program}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${packaging}/roofline.fish RENAME ${program}.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endforeach()
# Debian's zsh looks for what packages bring and for what a site adds in folders of different names.
install(CODE [[
  set(zsh_functions site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES "/usr/?$")
    set(zsh_functions vendor-completions)
  endif()]] COMPONENT program)
install(FILES ${packaging}/_roofline
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_functions}" COMPONENT program)
install(DIRECTORY configs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/roofline COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(CODE "file(ARCHIVE_CREATE OUTPUT ${PROJECT_BINARY_DIR}/changelog.gz
                   PATHS ${packaging}/changelog FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)"
        COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT program)

include(CMakePackageConfigHelpers)
install(TARGETS roofline_model roofline_io EXPORT roofline_targets COMPONENT development)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(config_directory ${CMAKE_INSTALL_LIBDIR}/cmake/roofline)
install(EXPORT roofline_targets FILE rooflineTargets.cmake NAMESPACE roofline::
        DESTINATION ${config_directory} COMPONENT development)
file(WRITE ${PROJECT_BINARY_DIR}/rooflineConfig.cmake
     "include(CMakeFindDependencyMacro)\n"
     "find_dependency(fmt)\n"
     "find_dependency(simdjson)\n"
     "find_dependency(Threads)\n"
     "find_dependency(ZLIB)\n"
     "include(\${CMAKE_CURRENT_LIST_DIR}/rooflineTargets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooflineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooflineConfig.cmake
              ${PROJECT_BINARY_DIR}/rooflineConfigVersion.cmake
        DESTINATION ${config_directory} COMPONENT development)

set(CPACK_GENERATOR TGZ)
find_program(SHLIBDEPS dpkg-shlibdeps)
if(SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_VENDOR "The roofline authors")
set(CPACK_PACKAGE_CONTACT "The roofline authors")
set(CPACK_PACKAGE_FILE_NAME roofline-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PROJECT_CONFIG_FILE ${packaging}/generator.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME roofline)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
