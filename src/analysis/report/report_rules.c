/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the form of the page. What it says is in findings.def. */
#include "analysis/report/report_rules.h"

#include "analysis/report/report_finding.h"

static void print_severities(FILE *out, const struct finding_rule *rule)
{
	if (rule->least == rule->most)
		fputs(finding_severities[rule->least], out);
	else
		fprintf(out, "%s to %s", finding_severities[rule->least],
			finding_severities[rule->most]);
}

static void print_rule(FILE *out, const struct finding_rule *rule, bool markdown)
{
	const char *indent = markdown ? "" : "    ";

	fprintf(out, markdown ? "\n## %s\n\n" : "\n%s\n", rule->id);
	fprintf(out, "%s%s %s %s\n", indent, rule->condition, rule->cost, rule->advice);
	fprintf(out, markdown ? "\n%sSeverity: " : "%sSeverity: ", indent);
	print_severities(out, rule);
	fprintf(out, ". Streams: %s.\n", *rule->streams ? rule->streams : "any");
}

void report_rules_print(FILE *out, bool markdown)
{
	if (markdown)
		fputs("<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
		      "<!-- Written by `make update-pages` from src/analysis/report/findings.def. -->\n"
		      "# What `iotracer report` finds wrong\n\n",
		      out);
	fputs("A finding is a row of `iotracer report DIR --section findings`: id, severity, share, subject,\n"
	      "text, evidence, command. Its share is the part of the time of the trace, or of the bytes, that\n"
	      "it costs; the severity follows from it, within the bounds below. Programs are judged by name,\n"
	      "all processes of one together. `--fail-on LEVEL` makes a finding exit status 3.\n",
	      out);
	for (unsigned i = 0; i < N_FINDINGS; i++)
		print_rule(out, &finding_rules[i], markdown);
	fprintf(out, "\n%sNumbers that decide%s\n", markdown ? "## " : "", markdown ? "\n" : "");
	fprintf(out,
		"%sA line \"NAME NUMBER\" of ~/.config/iotracer/findings.conf, or of --limits FILE, changes one.\n",
		markdown ? "" : "    ");
	fputs(markdown ? "\n| name | default | unit |\n|---|---|---|\n" : "\n", out);
	for (unsigned i = 0; i < N_REPORT_LIMITS; i++)
		fprintf(out, markdown ? "| %s | %.10g | %s |\n" : "    %-20s %10.10g  %s\n",
			report_limit_rows[i].name, report_limit_rows[i].value,
			report_limit_rows[i].unit);
}
