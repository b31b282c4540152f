/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives each address another one that is its own under the key in use; prefixes are preserved. */
#pragma once

/* An address in network byte order, 4 or 16 bytes (AF_INET, AF_INET6). in may be out. */
void anon_ip(int family, const unsigned char *in, unsigned char *out);

void anon_ip_forget(void);
