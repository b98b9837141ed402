# SPDX-License-Identifier: MIT
# Configures, builds and runs project/ with the CONSUMERS (separated by commas) in the folder WORK.
string(REPLACE "," ";" consumers ${CONSUMERS})
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK} -G ${GENERATOR} --log-level=WARNING
    -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER}
    -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_PREFIX_PATH=${PREFIX}
    -D BUILD_SHARED_LIBS=${SHARED} -D VIA=${VIA} -D ROOT=${ROOT} "-DCONSUMERS=${consumers}")
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} COMMAND_ERROR_IS_FATAL ANY)
foreach(consumer IN LISTS consumers)
  execute_process(COMMAND ${WORK}/consume_${consumer} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
