#include <recon/recon.h>
#include <stdio.h>
int main(void)
{
    puts(recon_version());
    return 0;
}
