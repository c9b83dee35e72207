# Writes OUTPUT, a C++ file that holds every *.json file of GPU_DIR, KERNEL_DIR and NETWORK_DIR as
# text, with what it answers to beside it (a GPU's names, what a kernel model covers), so that
# finding one parses no other.

# The texts of an array of JSON, each after a comma.
function(append_texts list text key)
  string(JSON count ERROR_VARIABLE none LENGTH "${text}" ${key})
  if(none STREQUAL "NOTFOUND" AND count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON item GET "${text}" ${key} ${i})
      string(APPEND ${list} ", \"${item}\"")
    endforeach()
  endif()
  set(${list} "${${list}}" PARENT_SCOPE)
endfunction()

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
      append_texts(names "${text}" aliases)
    elseif(with_names STREQUAL "kernel")
      set(names "\"${stem}\"")
      append_texts(names "${text}" covers)
    endif()
    if(names)
      string(APPEND definitions "constexpr std::string_view names_${id}[] = {${names}};\n")
      string(APPEND rows "    {\"${stem}\", names_${id}, {text_${id}, sizeof text_${id} - 1}},\n")
    else()
      string(APPEND rows "    {\"${stem}\", {}, {text_${id}, sizeof text_${id} - 1}},\n")
    endif()
    # An array of its own: as a literal it would lie among those that every start reads.
    string(APPEND definitions
           "constexpr char text_${id}[] = R\"embedded(${text})embedded\";\n")
  endforeach()
  file(APPEND ${OUTPUT} "${definitions}constexpr EmbeddedFile ${with_names}_files[] = {\n${rows}};\n\n")
endfunction()

# Both compilers take texts beyond the 65,536 characters that the standard promises.
file(WRITE ${OUTPUT}
     "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
     "#include \"load/embedded.hpp\"\n\nnamespace roofline {\nnamespace {\n\n")
append_files(${GPU_DIR} gpu)
append_files(${KERNEL_DIR} kernel)
append_files(${NETWORK_DIR} network)
file(APPEND ${OUTPUT}
     "}  // namespace\n\n"
     "std::span<const EmbeddedFile> embedded_gpus() { return gpu_files; }\n"
     "std::span<const EmbeddedFile> embedded_kernel_models() { return kernel_files; }\n"
     "std::span<const EmbeddedFile> embedded_networks() { return network_files; }\n\n"
     "}  // namespace roofline\n")
