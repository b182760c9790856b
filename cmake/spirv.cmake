# cmake -D IN=FILE.spvasm -D OUT=FILE.c -D SPIRV_AS=… -D SPIRV_VAL=… -P spirv.cmake: assembles, checks, and writes the
# module as an array of words. Without the two tools the array is empty.
set(target opencl2.0)
set(words "0")
set(size "0")
if(SPIRV_AS AND SPIRV_VAL)
  set(module ${OUT}.spv)
  execute_process(COMMAND ${SPIRV_AS} --target-env ${target} ${IN} -o ${module} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "spirv-as cannot assemble ${IN}")
  endif()
  execute_process(COMMAND ${SPIRV_VAL} --target-env ${target} ${module} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "spirv-val refuses ${IN}")
  endif()
  file(READ ${module} hex HEX)
  # The tools write words of the machine that they run on; little-endian, as all are that have this driver.
  string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1u,\n    " words "${hex}")
  string(REGEX REPLACE ",\n    $" "" words "${words}")
  set(size "sizeof cf_level_zero_spirv")
endif()
file(WRITE ${OUT} "/* Made from src/device/level_zero/kernels.spvasm by cmake/spirv.cmake. */
#include \"device/level_zero/spirv.h\"

const uint32_t cf_level_zero_spirv[] = {
    ${words}};
const size_t cf_level_zero_spirv_bytes = ${size};
")
