# cmake -D OUT=FILE.c -D FILES=a.ini;b.ini -D HEADER=cli/cli.h -D TYPE=cf_job_builtin -D TABLE=cf_job_builtins -D
# FROM=jobs/ -P embed.cmake: a NULL-terminated table of {name, text}. Bytes, not string literals: ISO C promises no
# literal over 4095 characters.
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
file(WRITE ${OUT} "/* Made from ${FROM} by cmake/embed.cmake. */
#include \"${HEADER}\"

${arrays}
const ${TYPE} ${TABLE}[] = {
${rows}    {NULL, NULL},
};
")
