/* A library that a test loads while it runs; there is another one, which differs by its name. */
const char *modules_plugin_function(void);

const char *modules_plugin_function(void)
{
    return PLUGIN_NAME;
}
