/* A library that a test loads while it runs. */
int modules_plugin_function(void);

int modules_plugin_function(void)
{
    return 42;
}
