# cmake -D OUT=FILE.c -D FILES=a.ini;b.ini -P embed.cmake: the table cf_model_builtins of model/model.h. Bytes, not
# string literals: ISO C promises no literal over 4095 characters.
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(REGEX REPLACE "('.x0a',)" "\\1\n    " bytes "${bytes}")
  string(APPEND arrays "static const char text_${number}[] = {\n    ${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "/* Made from models/ by src/model/embed.cmake. */
#include \"model/model.h\"

${arrays}
const cf_model_builtin cf_model_builtins[] = {
${rows}    {NULL, NULL},
};
")
