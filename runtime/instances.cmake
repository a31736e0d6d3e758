# Kernels of families that are templates: their sources are written here, one for each row of types, so that a
# model pays only for its own.

set(type_of_i8 int8_t)
set(type_of_u8 uint8_t)
set(type_of_i16 int16_t)
set(type_of_i32 int32_t)
set(type_of_i64 int64_t)
set(type_of_f32 float)

# thimble_instances(SOURCES_VARIABLE FAMILY PARAMS IN_OUT ...): portable/FAMILY.h defines the template
# FAMILY<In, Out>; its instances are the kernels FAMILY_IN_OUT. PARAMS is empty where they take none.
function(thimble_instances sources family params)
  set(list ${${sources}})
  foreach(types ${ARGN})
    string(REPLACE "_" ";" types_list ${types})
    list(GET types_list 0 in)
    list(GET types_list 1 out)
    set(in ${type_of_${in}})
    set(out ${type_of_${out}})
    set(parameter "")
    set(argument "")
    if(params)
      set(parameter "const ${params}& p, ")
      set(argument "p, ")
    endif()
    string(LENGTH "void ${family}_${types}(" indent)
    string(REPEAT " " ${indent} indent)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/portable/${family}_${types}.cc @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
#include \"@family@.h\"

namespace thimble::runtime {

void @family@_@types@(@parameter@const View& x, const View& out,
@indent@const Region& region) noexcept {
  @family@<@in@, @out@>(@argument@x, out, region);
}

}  // namespace thimble::runtime
")
    list(APPEND list portable/${family}_${types}.cc)
  endforeach()
  set(${sources} ${list} PARENT_SCOPE)
endfunction()

# thimble_float_functions(SOURCES_VARIABLE FUNCTION ...): the kernels FUNCTION_f32, of functions of real_functions.h.
function(thimble_float_functions sources)
  set(list ${${sources}})
  foreach(function ${ARGN})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/portable/${function}_f32.cc @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
#include \"thimble_runtime/real_functions.h\"

#include \"thimble_runtime/kernels.h\"
#include \"walk.h\"

namespace thimble::runtime {

void @function@_f32(const View& x, const View& out, const Region& region) noexcept {
  map_elements<float, float>(x, out, region, real::@function@);
}

}  // namespace thimble::runtime
")
    list(APPEND list portable/${function}_f32.cc)
  endforeach()
  set(${sources} ${list} PARENT_SCOPE)
endfunction()
