# SPDX-License-Identifier: MIT
# Installs the COMPONENTS of the build tree BUILD into PREFIX, which is emptied first.
file(REMOVE_RECURSE ${PREFIX})
string(REPLACE "," ";" components ${COMPONENTS})
foreach(component IN LISTS components)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --component ${component}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
