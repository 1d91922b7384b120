/* analyze/print/figures/figure_walk.h - turns the rows of a .def file (figure_row.h) into functions
 * that write them.
 *
 * Include this once, before the lists. The including file first defines `struct shown` with a
 * member `struct syn_figure_writer out`, and the enumerators SYN_PLACE_... of CSV. Expressions of
 * rows read the struct as `to`. Each object becomes
 *
 *     static void show_ID(struct shown *to, const char *key, const O *o);
 *
 * where o is NULL while the header of CSV is written. */
#define NOT_KNOWN       (to->out.at.is_unknown)
#define OPEN_LINE(key)  syn_json_open_line(to->out.json, key, '{')
#define OPEN_BLOCK(key) syn_json_open(to->out.json, key, '{')
#define LIST_LINE(key)  syn_json_open_line(to->out.json, key, '[')
#define LIST_BLOCK(key) syn_json_open(to->out.json, key, '[')

#define STRUCTURE(id)
#define STRUCTURE_END(id)
#define LEFT_OUT(member)

#define PART(id)                                           \
    static void rows_of_##id(struct shown *to, const O *o) \
    {                                                      \
        (void)to;                                          \
        (void)o;
#define OBJECT(id, style, about)                                         \
    static void rows_of_##id(struct shown *to, const O *o);              \
    static void show_##id(struct shown *to, const char *key, const O *o) \
    {                                                                    \
        if (to->out.json)                                                \
            OPEN_##style(key);                                           \
        rows_of_##id(to, o);                                             \
        if (to->out.json)                                                \
            syn_json_close(to->out.json);                                \
    }                                                                    \
    PART(id)
#define END(id) }

#define MADE(how, name, unit, expression, meaning) SHOW_##how(#name, expression);
#define ROW(how, name, unit, member, meaning)      SHOW_##how(#name, o->member);
#define SHOW_figure(name, value)                   syn_put_figure(&to->out, name, NOT_KNOWN ? NAN : (value))
#define SHOW_number(name, value)                   syn_put_figure(&to->out, name, NOT_KNOWN ? NAN : (value))
#define SHOW_whole(name, value)                    syn_put_whole(&to->out, name, NOT_KNOWN ? NAN : (value))
#define SHOW_count(name, value)                    syn_put_count(&to->out, name, NOT_KNOWN ? 0 : (value))
#define SHOW_integer(name, value)                  syn_put_integer(&to->out, name, NOT_KNOWN ? 0 : (value))
#define SHOW_boolean(name, value)                  syn_put_boolean(&to->out, name, NOT_KNOWN ? false : (value))
#define SHOW_text(name, value)                     syn_put_text(&to->out, name, NOT_KNOWN ? NULL : (value))
#define SHOW_word(name, value)                     syn_put_text(&to->out, name, NOT_KNOWN ? NULL : (value))

#define ARRAY(how, name, unit, member, meaning)                           \
    if (to->out.json) {                                                   \
        LIST_LINE(#name);                                                 \
        for (size_t i = 0; i < sizeof o->member / sizeof *o->member; i++) \
            SHOW_##how(NULL, o->member[i]);                               \
        syn_json_close(to->out.json);                                     \
    }
#define VALUES_IN(name, style, write)       \
    if (to->out.json && NOT_KNOWN) {        \
        syn_json_null(to->out.json, #name); \
    } else if (to->out.json) {              \
        LIST_##style(#name);                \
        write syn_json_close(to->out.json); \
    }
#define VALUES(how, name, style, unit, count, value, meaning) \
    VALUES_IN(name, style, for (size_t i = 0; i < (size_t)(count); i++) SHOW_##how(NULL, value);)
#define VALUES_BY(how, name, style, unit, function, meaning) \
    VALUES_IN(name, style, function(to, o);)
#define WORDS_BY(name, function, meaning) \
    if (to->out.json) {                   \
        OPEN_LINE(#name);                 \
        function(to, o);                  \
        syn_json_close(to->out.json);     \
    }
#define LIST_BY(name, id, function, meaning) VALUES_BY(object, name, BLOCK, "", function, meaning)
#define LIST(name, id, count, pointer, meaning)      \
    if (to->out.json) {                              \
        LIST_BLOCK(#name);                           \
        for (size_t i = 0; i < (size_t)(count); i++) \
            show_##id(to, NULL, pointer);            \
        syn_json_close(to->out.json);                \
    }

#define INNER(name, id, pointer, meaning) INNER_IF(name, id, true, pointer, meaning)
#define INNER_IF(name, id, condition, pointer, meaning)                            \
    {                                                                              \
        struct syn_figure_at before;                                               \
        if (syn_figure_enter(&to->out, #name, !NOT_KNOWN && (condition), &before)) \
            show_##id(to, #name, NOT_KNOWN ? NULL : (pointer));                    \
        syn_figure_leave(&to->out, &before);                                       \
    }
#define SPREAD(id, pointer) rows_of_##id(to, NOT_KNOWN ? NULL : (pointer));

/* clang-format off */
#define CSV(place_, column_, row)                                               \
    {                                                                           \
        const struct syn_figure_at outside = to->out.at;                        \
        to->out.at.column = #column_;                                           \
        to->out.at.place += SYN_PLACE_##place_;                                 \
        row                                                                     \
        to->out.at = outside;                                                   \
    }
#define KNOWN(condition, row)                                                   \
    {                                                                           \
        const bool was_unknown = to->out.at.is_unknown;                         \
        to->out.at.is_unknown = was_unknown || !(condition);                    \
        row                                                                     \
        to->out.at.is_unknown = was_unknown;                                    \
    }
#define KNOWN_IN_CSV(condition, row) KNOWN(to->out.json || (condition), row)
#define COLUMN(how, expression)                                                 \
    if (!to->out.json) {                                                        \
        SHOW_##how(NULL, expression);                                           \
    }
#define ALSO(id)
/* WHERE omits a key of JSON; CSV has the column in any case */
#define WHERE(condition, row)                                                   \
    if (!to->out.json || (condition)) {                                         \
        const bool was_absent = to->out.at.is_unknown;                          \
        to->out.at.is_unknown = was_absent || !(to->out.json || (condition));   \
        row                                                                     \
        to->out.at.is_unknown = was_absent;                                     \
    }
/* clang-format on */
