# Writes OUTPUT, a C++ file that holds every *.json file of GPU_DIR and NETWORK_DIR as text, with the
# names that a GPU answers to beside it, so that finding one GPU parses no other.

function(append_files directory with_names)
  file(GLOB paths LIST_DIRECTORIES false ${directory}/*.json)
  list(SORT paths)
  set(rows "")
  set(definitions "")
  set(index 0)
  foreach(path IN LISTS paths)
    get_filename_component(stem ${path} NAME_WE)
    file(READ ${path} text)
    set(id "${with_names}_${index}")
    math(EXPR index "${index} + 1")
    set(names "")
    if(with_names STREQUAL "gpu")
      string(JSON name GET "${text}" name)
      set(names "\"${name}\"")
      string(JSON count ERROR_VARIABLE none LENGTH "${text}" aliases)
      if(none STREQUAL "NOTFOUND" AND count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(i RANGE ${last})
          string(JSON alias GET "${text}" aliases ${i})
          string(APPEND names ", \"${alias}\"")
        endforeach()
      endif()
      string(APPEND definitions "constexpr std::string_view names_${id}[] = {${names}};\n")
      string(APPEND rows "    {\"${stem}\", names_${id}, text_${id}},\n")
    else()
      string(APPEND rows "    {\"${stem}\", {}, text_${id}},\n")
    endif()
    string(APPEND definitions
           "constexpr std::string_view text_${id} = R\"embedded(${text})embedded\";\n")
  endforeach()
  file(APPEND ${OUTPUT} "${definitions}constexpr EmbeddedFile ${with_names}_files[] = {\n${rows}};\n\n")
endfunction()

file(WRITE ${OUTPUT}
     "#include \"roofline/catalogue.hpp\"\n\nnamespace roofline {\nnamespace {\n\n")
append_files(${GPU_DIR} gpu)
append_files(${NETWORK_DIR} network)
file(APPEND ${OUTPUT}
     "}  // namespace\n\n"
     "std::span<const EmbeddedFile> embedded_gpus() { return gpu_files; }\n"
     "std::span<const EmbeddedFile> embedded_networks() { return network_files; }\n\n"
     "}  // namespace roofline\n")
