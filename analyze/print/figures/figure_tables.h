/* analyze/print/figures/figure_tables.h - turns the objects of a .def file (figure_row.h) into
 * tables. --sort finds figures in them, and the schemas and the page of all figures are written
 * from them.
 *
 * Include this once, before the lists. An object becomes a static struct syn_figure_object
 * ID_object. */
#include "analyze/print/figures/figure_row.h"

/* clang-format off */
#define NAME_OF(type)  NAME_OF_(type)
#define NAME_OF_(type) #type
#define MEMBER(member) (((O *)0)->member)
/* any other type, such as a string, is SYN_MEMBER_TEXT */
#define MEMBER_KIND(x)                                                                    \
    _Generic((x), bool: SYN_MEMBER_BOOL, double: SYN_MEMBER_DOUBLE,                       \
        unsigned: SYN_MEMBER_UNSIGNED, unsigned long: SYN_MEMBER_UNSIGNED,                \
        unsigned long long: SYN_MEMBER_UNSIGNED, int: SYN_MEMBER_SIGNED,                  \
        long: SYN_MEMBER_SIGNED, long long: SYN_MEMBER_SIGNED, default: SYN_MEMBER_TEXT)

#define STRUCTURE(id)
#define STRUCTURE_END(id)
#define LEFT_OUT(member)

#define PART(id)                  OBJECT(id, PART, "")
#define OBJECT(id, style, about)                                                          \
    static const char id##_about[] = about;                                               \
    static const struct syn_figure_row id##_rows[] = {
#define END(id)                                                                           \
    };                                                                                    \
    static const struct syn_figure_object id##_object = {                                 \
        #id, id##_about, NAME_OF(O), id##_rows, sizeof id##_rows / sizeof *id##_rows};

#define MADE(how_, name_, unit_, expression, meaning_)                                    \
    {.name = #name_, .how = SYN_FIGURE_##how_, .unit = unit_, .meaning = meaning_},
#define ROW(how_, name_, unit_, member_, meaning_)                                        \
    {.name = #name_, .how = SYN_FIGURE_##how_, .unit = unit_, .meaning = meaning_,        \
     .member = {offsetof(O, member_), sizeof MEMBER(member_), MEMBER_KIND(MEMBER(member_))}},
#define ARRAY(how_, name_, unit_, member_, meaning_)                                      \
    {.name = #name_, .how = SYN_FIGURE_##how_, .unit = unit_, .meaning = meaning_,        \
     .is_array = true},
#define VALUES_BY(how_, name_, style, unit_, function, meaning_)                          \
    ARRAY(how_, name_, unit_, none, meaning_)
#define VALUES(how_, name_, style, unit_, count, value, meaning_)                         \
    ARRAY(how_, name_, unit_, none, meaning_)
#define WORDS_BY(name_, function, meaning_)                                               \
    {.name = #name_, .how = SYN_FIGURE_words, .meaning = meaning_},
#define LIST_BY(name_, id, function, meaning_)                                            \
    {.name = #name_, .how = SYN_FIGURE_list, .meaning = meaning_, .inner = &id##_object},
#define LIST(name_, id, count, pointer, meaning_) LIST_BY(name_, id, count, meaning_)
#define INNER(name_, id, pointer, meaning_)                                               \
    {.name = #name_, .how = SYN_FIGURE_object, .meaning = meaning_, .inner = &id##_object},
#define INNER_IF(name_, id, condition, pointer, meaning_)                                 \
    {.how = SYN_FIGURE_nullable}, INNER(name_, id, pointer, meaning_)
#define SPREAD(id, pointer)      {.how = SYN_FIGURE_spread, .inner = &id##_object},
#define ALSO(id)                 {.how = SYN_FIGURE_also, .inner = &id##_object},
#define COLUMN(how_, expression) {.how = SYN_FIGURE_column},
#define CSV(place, column, row)  {.name = #column, .how = SYN_FIGURE_in_csv}, row
#define KNOWN(condition, row)    {.how = SYN_FIGURE_nullable}, row
#define WHERE(condition, row)    {.how = SYN_FIGURE_optional}, row
#define KNOWN_IN_CSV(condition, row) row
/* clang-format on */
