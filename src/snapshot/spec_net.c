/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network interfaces and their addresses, by files alone: asking netlink would
 * take a socket, and the tracer opens none.
 */
#include "snapshot/spec_net.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "snapshot/spec.h"

enum { MAX_ROUTES = 4096, ROUTE_UP = 1 };

/* A network that is reached directly; numbers as the kernel prints them: network order, in memory. */
struct route {
	char name[IF_NAMESIZE];
	uint32_t dest;
	uint32_t mask;
};

struct network {
	const struct spec *spec;
	json_t *interfaces;
	json_t *others; /* addresses whose interface is not known */
	struct route *routes;
	unsigned n_routes;
};

/* ---- addresses ---- */

static void add_address(struct network *net, const char *interface, const char *family,
			const char *address, const char *mask, const char *broadcast)
{
	json_t *item = json_pack("{s:s, s:o, s:o, s:o}", "family", family, "address",
				 spec_secret(address), "netmask", json_text(mask), "broadcast",
				 spec_secret(broadcast));
	json_t *entry = interface ? json_object_get(net->interfaces, interface) : NULL;

	json_array_append_new(entry ? json_object_get(entry, "addresses") : net->others, item);
}

static void read_routes(struct network *net)
{
	size_t size;
	char *text = root_read(net->spec->root, "proc/net/route", &size), *rest = text, *line;

	net->routes = calloc(MAX_ROUTES, sizeof(*net->routes));
	while ((line = spec_next_line(&rest)) && net->routes && net->n_routes < MAX_ROUTES) {
		struct route *route = &net->routes[net->n_routes];
		unsigned gateway, flags;

		/* Iface Destination Gateway Flags RefCnt Use Metric Mask */
		if (sscanf(line, "%15s %x %x %x %*s %*s %*s %x", route->name, &route->dest,
			   &gateway, &flags, &route->mask) == 5 &&
		    (flags & ROUTE_UP) && !gateway && route->mask)
			net->n_routes++;
	}
	free(text);
}

/* The narrowest network in which the address lies. */
static const struct route *find_route(const struct network *net, uint32_t address)
{
	const struct route *best = NULL;

	for (unsigned i = 0; i < net->n_routes; i++) {
		const struct route *route = &net->routes[i];

		if ((address & route->mask) == route->dest &&
		    /* more leading ones are a larger number */
		    (!best || ntohl(route->mask) > ntohl(best->mask)))
			best = route;
	}
	return best;
}

static const char *ip4_text(uint32_t address, char out[INET_ADDRSTRLEN])
{
	struct in_addr in = { .s_addr = address };

	return inet_ntop(AF_INET, &in, out, INET_ADDRSTRLEN);
}

static void add_ip4(struct network *net, uint32_t address)
{
	char text[INET_ADDRSTRLEN], mask[INET_ADDRSTRLEN], broadcast[INET_ADDRSTRLEN];
	const struct route *route = find_route(net, address);
	bool wide = route && ntohl(route->mask) < 0xfffffffe;

	ip4_text(address, text);
	if (ntohl(address) >> 24 == 127)
		add_address(net, "lo", "AF_INET", text, "255.0.0.0", NULL);
	else if (!route)
		add_address(net, NULL, "AF_INET", text, NULL, NULL);
	else
		add_address(net, route->name, "AF_INET", text, ip4_text(route->mask, mask),
			    wide ? ip4_text(route->dest | ~route->mask, broadcast) : NULL);
}

/* Our own addresses are the leaves "/32 host LOCAL"; each stands in more than one table. */
static void read_ip4(struct network *net)
{
	size_t size;
	char *text = root_read(net->spec->root, "proc/net/fib_trie", &size), *rest = text, *line,
	     leaf[16] = "";
	json_t *seen = json_object();
	struct in_addr in;

	while ((line = spec_next_line(&rest))) {
		char *at = strstr(line, "|-- ");

		if (at) {
			snprintf(leaf, sizeof(leaf), "%s", at + 4);
		} else if (strstr(line, "/32 host LOCAL") && leaf[0] &&
			   !json_object_get(seen, leaf) && inet_pton(AF_INET, leaf, &in) == 1) {
			json_object_set_new(seen, leaf, json_true());
			add_ip4(net, in.s_addr);
		}
	}
	json_decref(seen);
	free(text);
}

static void add_ip6(struct network *net, const char *digits, unsigned prefix, const char *interface)
{
	char text[INET6_ADDRSTRLEN], mask_text[INET6_ADDRSTRLEN];
	unsigned char address[16], mask[16] = { 0 };

	for (int i = 0; i < 16; i++) {
		unsigned byte;

		if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
			return;
		address[i] = (unsigned char)byte;
	}
	for (unsigned bit = 0; bit < prefix && bit < 128; bit++)
		mask[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	inet_ntop(AF_INET6, address, text, sizeof(text));
	inet_ntop(AF_INET6, mask, mask_text, sizeof(mask_text));
	add_address(net, interface, "AF_INET6", text, mask_text, NULL);
}

static void read_ip6(struct network *net)
{
	size_t size;
	char *text = root_read(net->spec->root, "proc/net/if_inet6", &size), *rest = text, *line;

	while ((line = spec_next_line(&rest))) {
		char digits[33], name[IF_NAMESIZE];
		unsigned prefix;

		if (sscanf(line, "%32s %*x %x %*x %*x %15s", digits, &prefix, name) == 3 &&
		    strlen(digits) == 32)
			add_ip6(net, digits, prefix, name);
	}
	free(text);
}

/* ---- interfaces ---- */

static void add_interface(void *arg, const char *name)
{
	struct network *net = arg;
	const struct spec *spec = net->spec;
	long long flags = 0, speed;
	bool known = spec_value(spec, &flags, "sys/class/net/%s/flags", name), has_speed;
	char address[128], broadcast[128], driver[64];

	if (!known)
		return; /* bonding_masters is no interface */
	/* -1 without a link, and an error where there is no such thing */
	has_speed = spec_value(spec, &speed, "sys/class/net/%s/speed", name) && speed > 0;
	spec_link(spec, driver, sizeof(driver), "sys/class/net/%s/device/driver", name);
	json_object_set_new(net->interfaces, name,
			    json_pack("{s:[], s:b, s:o, s:o, s:o, s:o}", "addresses", "is_up",
				      (int)(flags & IFF_UP), "state",
				      spec_line_json(spec, "sys/class/net/%s/operstate", name),
				      "speed_mbps", spec_number(has_speed, speed), "mtu",
				      spec_value_json(spec, "sys/class/net/%s/mtu", name), "driver",
				      json_text(driver)));
	if (spec_line(spec, address, sizeof(address), "sys/class/net/%s/address", name)) {
		spec_line(spec, broadcast, sizeof(broadcast), "sys/class/net/%s/broadcast", name);
		add_address(net, name, "AF_PACKET", address, NULL, broadcast);
	}
}

json_t *spec_network(const struct spec *spec)
{
	struct network net = { .spec = spec, .interfaces = json_object(), .others = json_array() };
	char host[256];

	spec_line(spec, host, sizeof(host), "proc/sys/kernel/hostname");
	spec_each(spec, "sys/class/net", add_interface, &net);
	read_routes(&net);
	read_ip4(&net);
	read_ip6(&net);
	free(net.routes);
	return json_pack("{s:o, s:o, s:o}", "interfaces", net.interfaces, "other_addresses",
			 net.others, "hostname", spec_secret(host));
}
