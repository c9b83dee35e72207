# Writes the kernel model's constants as C++ from their one list, SCHEMA
# (configs/schemas/kernel_model.json). HEADER gets a structure for each definition with a title,
# TABLE a row for each constant, in the order of the structures' numbers. The schema is read line by
# line, because CMake's JSON functions lose the order of keys: a definition must precede its
# references.

cmake_minimum_required(VERSION 3.25)
file(READ ${SCHEMA} text)
string(REGEX REPLACE ".*\n  \"\\$defs\": {\n" "" text "${text}")
# Characters with a meaning in CMake lists.
string(REPLACE ";" "<semicolon>" text "${text}")
string(REGEX REPLACE "[][]" "" text "${text}")
string(REPLACE "\n" ";" lines "${text}")

set(structures "")
foreach(line IN LISTS lines)
  if(line MATCHES "^    \"([a-z0-9_]+)\": {")
    set(definition ${CMAKE_MATCH_1})
  elseif(line MATCHES "^      \"title\": \"(.*)\"")
    set(type_${definition} "${CMAKE_MATCH_1}")
    string(FIND "${CMAKE_MATCH_1}" "<" has_own_structure)  # -1, unless a template makes it
    if(has_own_structure EQUAL -1)
      string(APPEND structures "struct ${CMAKE_MATCH_1} {\n")
    endif()
  elseif(line MATCHES "^        \"unit\": {\"const\": \"(.*)\"}")
    set(type_${definition} double)
    set(unit_${definition} "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^        \"value\": {\"minimum\": ([^,]+), \"maximum\": ([^,}]+)(, \"default\": ([^}]+))?}")
    set(range_${definition} "${CMAKE_MATCH_1}, ${CMAKE_MATCH_2}, {${CMAKE_MATCH_4}}")
  elseif(line MATCHES
         "^        \"([a-z0-9_]+)\": {\"\\$ref\": \"#/\\$defs/([a-z0-9_]+)\"(, \"description\": (\".*\"))?}")
    list(APPEND keys_${definition} ${CMAKE_MATCH_1})
    set(definition_of_${definition}_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    set(meaning_of_${definition}_${CMAKE_MATCH_1} "${CMAKE_MATCH_4}")
    if(DEFINED type_${definition} AND has_own_structure EQUAL -1)
      string(APPEND structures "  ${type_${CMAKE_MATCH_2}} ${CMAKE_MATCH_1};\n")
    endif()
  elseif(line MATCHES "^      \"additionalProperties\"" AND DEFINED type_${definition}
         AND has_own_structure EQUAL -1)
    string(APPEND structures "};\n\n")
  endif()
endforeach()

# Rows of a definition, with paths starting with `prefix`.
function(append_rows prefix definition)
  foreach(key IN LISTS keys_${definition})
    set(member ${definition_of_${definition}_${key}})
    if(DEFINED unit_${member})
      string(CONCAT row "    {\"${prefix}${key}\", \"${unit_${member}}\", ${range_${member}}, "
                        "${meaning_of_${definition}_${key}}},\n")
      set_property(GLOBAL APPEND_STRING PROPERTY rows "${row}")
    else()
      append_rows(${prefix}${key}/ ${member})
    endif()
  endforeach()
endfunction()
append_rows("" constant_values)
get_property(rows GLOBAL PROPERTY rows)
string(REPLACE "<semicolon>" ";" rows "${rows}")

file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT
"// Written by src/kernel/constants.cmake.
#pragma once

#include \"kernel/engine_facts.hpp\"
#include \"kernel/solvers/solver.hpp\"
#include \"roofline/layer.hpp\"

namespace roofline {

@structures@}  // namespace roofline
")
file(CONFIGURE OUTPUT ${TABLE} @ONLY CONTENT
"// Written by src/kernel/constants.cmake.
#include \"kernel/constants.hpp\"

namespace roofline {
namespace {

constexpr ConstantField all_constant_fields[] = {
@rows@};

}  // namespace

std::span<const ConstantField, constant_count> constant_fields() { return all_constant_fields; }

}  // namespace roofline
")
