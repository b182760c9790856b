# The CUDA kernels, as text in the program: the driver compiles them.
set(kernels ${PROJECT_SOURCE_DIR}/src/device/cuda/kernels.ptx)
set(embedded ${PROJECT_BINARY_DIR}/generated/cuda_ptx.c)
add_custom_command(
  OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -D "OUT=${embedded}" -D "FILES=${kernels}" -D HEADER=device/cuda/ptx.h -D TYPE=cf_cuda_ptx
          -D TABLE=cf_cuda_ptx_texts -D FROM=src/device/cuda/ -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${kernels} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding kernels.ptx"
  VERBATIM)
target_sources(cf_device PRIVATE ${embedded})

# The Level Zero kernels: SPIR-V, assembled and checked here, as words in the program. Without spirv-tools the program
# is built all the same, and its device level-zero says what is missing.
find_program(SPIRV_AS spirv-as)
find_program(SPIRV_VAL spirv-val)
set(spirv_out ${PROJECT_BINARY_DIR}/generated/level_zero_spirv.c)
set(spirv_in ${PROJECT_SOURCE_DIR}/src/device/level_zero/kernels.spvasm)
if(NOT SPIRV_AS OR NOT SPIRV_VAL)
  message(STATUS "spirv-as or spirv-val not found (Debian: spirv-tools): the device level-zero gets no kernel")
endif()
add_custom_command(
  OUTPUT ${spirv_out}
  COMMAND ${CMAKE_COMMAND} -D "IN=${spirv_in}" -D "OUT=${spirv_out}" -D "SPIRV_AS=${SPIRV_AS}"
          -D "SPIRV_VAL=${SPIRV_VAL}" -P ${PROJECT_SOURCE_DIR}/cmake/spirv.cmake
  DEPENDS ${spirv_in} ${PROJECT_SOURCE_DIR}/cmake/spirv.cmake
  COMMENT "Assembling kernels.spvasm"
  VERBATIM)
target_sources(cf_device PRIVATE ${spirv_out})
