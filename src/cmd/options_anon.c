/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the options of anonymised mode, which record and snapshot have in common. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/options_private.h"

bool options_anon(int letter, const char *arg, struct anon_options *o)
{
	switch (letter) {
	case 'a':
	case OPT_ANON_OTHERWISE:
		break;
	case OPT_ANON_KEEP_EXT:
		o->keep_ext = true;
		break;
	case OPT_ANON_COMM:
		o->comm = true;
		break;
	case OPT_ANON_IP:
		o->ip = true;
		break;
	case OPT_ANON_KEY:
		o->key_file = arg;
		break;
	default:
		return false;
	}
	/* whoever wants to hide more wants to hide */
	o->on = true;
	return true;
}
