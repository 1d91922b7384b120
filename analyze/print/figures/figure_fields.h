/* analyze/print/figures/figure_fields.h - the structures of a .def (figure_row.h) as tables of
 * fields (sync/base/fields.h): what several processes exchange.
 *
 * To be included once, before the lists. A structure becomes syn_ID_fields, of FIELDS_LINKAGE. */
#ifndef FIELDS_LINKAGE
#define FIELDS_LINKAGE
#endif

#define STRUCTURE(id) static const struct syn_field id##_fields[] = {
/* clang-format off */
#define STRUCTURE_END(id)                                                                  \
    };                                                                                     \
    FIELDS_LINKAGE const struct syn_fields syn_##id##_fields = {                           \
        #id, id##_fields, sizeof id##_fields / sizeof *id##_fields, sizeof(O)};
/* clang-format on */
#define ROW(how, name, unit, member, meaning)   SYN_FIELD(O, member),
#define STAYS(how, name, unit, member, meaning) SYN_FIELD_LEFT_OUT(O, member),
#define ARRAY(how, name, unit, member, meaning) SYN_FIELD_ARRAY(O, member),
#define TRAVELS(member)                         SYN_FIELD(O, member),
#define TRAVELS_ARRAY(member)                   SYN_FIELD_ARRAY(O, member),
#define TRAVELS_INNER(member, type, fields)     SYN_FIELD_INNER(O, member, type, fields),
#define LEFT_OUT(member)                        SYN_FIELD_LEFT_OUT(O, member),

#define PART(id)
#define OBJECT(id, style, about)
#define END(id)
#define MADE(how, name, unit, expression, meaning)
#define VALUES_BY(how, name, style, unit, function, meaning)
#define LIST_BY(name, id, function, meaning)
#define LIST(name, id, count, pointer, meaning)
#define INNER(name, id, pointer, meaning)
#define INNER_IF(name, id, condition, pointer, meaning)
#define SPREAD(id, pointer)
#define ALSO(id)
#define COLUMN(how, expression)
#define CSV(place, column, row)      row
#define KNOWN_IN_CSV(condition, row) row
#define KNOWN(condition, row)        row
#define WHERE(condition, row)        row
