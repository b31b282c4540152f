/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns for how long each condition has been true of each system. */
#include "analysis/amp/amp_alert.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analysis/amp/amp_print.h"
#include "base/log.h"

enum { VALUE_SIZE = 256 };

struct amp_alert_state {
	struct amp_alert_state *next;
	char *system;
	unsigned seconds[AMP_MAX_ALERTS]; /* in a row, up to now */
	bool said[AMP_MAX_ALERTS];
};

static bool is_true(const struct amp_alert *alert, uint64_t value)
{
	switch (alert->op) {
	case AMP_ABOVE:
		return value > alert->limit;
	case AMP_AT_LEAST:
		return value >= alert->limit;
	case AMP_BELOW:
		return value < alert->limit;
	default:
		return value <= alert->limit;
	}
}

/* The shell that is waited for leaves the command to itself. Signals are the recorder's alone. */
static void run(const char *command, const struct amp_alert *alert, const char *system,
		const char *value)
{
	char texts[3][VALUE_SIZE], path_text[4096];
	char *const args[] = { "sh", "-c", "eval \"$1\" &", "sh", (char *)command, NULL };
	char *const env[] = { texts[0], texts[1], texts[2], path_text, NULL };
	const char *path = getenv("PATH");
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;
	int err;

	snprintf(texts[0], VALUE_SIZE, "IOTRACER_ALERT=%s", alert->text);
	snprintf(texts[1], VALUE_SIZE, "IOTRACER_SYSTEM=%s", system);
	snprintf(texts[2], VALUE_SIZE, "IOTRACER_VALUE=%s", value);
	snprintf(path_text, sizeof(path_text), "PATH=%s", path ? path : "/usr/bin:/bin");
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	err = posix_spawn(&pid, "/bin/sh", NULL, &attr, args, env);
	posix_spawnattr_destroy(&attr);
	if (err)
		log_error("--exec: /bin/sh: %s", strerror(err));
	while (!err && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void look(struct amp_alerts *alerts, struct amp_alert_state *state, unsigned which,
		 const struct amp_group *group)
{
	const struct amp_alert *alert = &alerts->options->list[which];
	char value[TABLE_NUMBER_SIZE] = "-";
	uint64_t u = 0;

	/* a system that did nothing has no values: no condition is true of it, not even "below" */
	if (!group || !amp_metric(group, alert->metric, &u) || !is_true(alert, u)) {
		if (state->said[which])
			log_note("alert is over: %s: %s", state->system, alert->text);
		state->seconds[which] = 0;
		state->said[which] = false;
		return;
	}
	state->seconds[which]++;
	if (state->said[which] || state->seconds[which] < alert->for_s)
		return;
	state->said[which] = true;
	table_exact(value, amp_metric_type(alert->metric), u);
	log_warn("alert: %s: %s: now %s", state->system, alert->text, value);
	if (alerts->options->command)
		run(alerts->options->command, alert, state->system, value);
}

static struct amp_alert_state *state_of(struct amp_alerts *alerts, const char *system)
{
	struct amp_alert_state *state = alerts->states;

	while (state && strcmp(state->system, system) != 0)
		state = state->next;
	if (state)
		return state;
	state = calloc(1, sizeof(*state));
	if (state)
		state->system = strdup(system);
	if (!state || !state->system) {
		free(state);
		return NULL;
	}
	state->next = alerts->states;
	alerts->states = state;
	return state;
}

static const struct amp_group *group_called(const struct amp_groups *groups, const char *name)
{
	for (uint64_t i = 0; i < groups->n; i++)
		if (!strcmp(groups->list[i]->name, name))
			return groups->list[i];
	return NULL;
}

void amp_alerts_look(struct amp_alerts *alerts, const struct amp_groups *second)
{
	for (uint64_t i = 0; i < second->n; i++)
		state_of(alerts, second->list[i]->name);
	for (struct amp_alert_state *state = alerts->states; state; state = state->next)
		for (unsigned i = 0; i < alerts->options->n; i++)
			look(alerts, state, i, group_called(second, state->system));
}

void amp_alerts_free(struct amp_alerts *alerts)
{
	for (struct amp_alert_state *state = alerts->states, *next; state; state = next) {
		next = state->next;
		free(state->system);
		free(state);
	}
	alerts->states = NULL;
}
