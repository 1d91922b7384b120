# cmake -DOUTPUT=FILE.c -P page_script.cmake - the script of pages as an array of C, with the library that it uses and
# that library's licence.
set(here ${CMAKE_CURRENT_LIST_DIR})
file(READ ${here}/tablesort/LICENCE licence HEX)
file(READ ${here}/tablesort/tablesort.min.js library HEX)
file(READ ${here}/page.js script HEX)
string(HEX "/*\n" open)
string(HEX "*/\n" close)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${open}${licence}${close}${library}0a${script}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* page_script.c - made out of page.js and tablesort/ by page_script.cmake. */\n"
  "#include \"analyze/print/html.h\"\n\nconst char syn_html_script[] = {\n${bytes}0};\n")
