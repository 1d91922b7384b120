# cmake -DOUTPUT=FILE.c -P page_files.cmake - the files that pages hold, as arrays of C: style sheets, each on one line, and the
# script, each library behind its licence.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(arrays "")

# An array NAME of the bytes whose hexadecimal digits are in `digits`.
function(embed name digits)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${digits}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  set(arrays "${arrays}\nconst char ${name}[] = {\n${bytes}0};\n" PARENT_SCOPE)
endfunction()

foreach(sheet page plot report diff)
  file(READ ${here}/css/${sheet}.css digits HEX)
  # Whole bytes: no line end, and no blanks at the begin of a line.
  string(REGEX REPLACE "(..)" "\\1 " digits "${digits}")
  string(REGEX REPLACE "0a (20 )*" "" digits "${digits}")
  string(REPLACE " " "" digits "${digits}")
  embed(syn_css_${sheet} "${digits}")
endforeach()

string(HEX "/*\n" open)
string(HEX "*/\n" close)
set(script "")
foreach(library tablesort/tablesort.min.js panzoom/panzoom.min.js)
  get_filename_component(folder ${library} DIRECTORY)
  file(READ ${here}/${folder}/LICENCE licence HEX)
  file(READ ${here}/${library} code HEX)
  string(APPEND script "${open}${licence}${close}${code}0a")
endforeach()
foreach(own page.js pictures.js)
  file(READ ${here}/${own} code HEX)
  string(APPEND script "${code}")
endforeach()
embed(syn_html_script "${script}")
file(WRITE ${OUTPUT} "/* page_files.c - made out of print/css/ and the scripts in print/ by page_files.cmake. */\n"
  "#include \"analyze/print/html.h\"\n${arrays}")
