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
