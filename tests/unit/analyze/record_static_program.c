/* A program without a dynamic linker. */
int main(void)
{
    return 0;
}
