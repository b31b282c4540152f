#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The metrics of a recording by way of node_exporter and Prometheus: a query gives what the report says, and the
# example's alerts and panels are queries that both understand.
# ports are its own: it runs in a network of its own
[ -n "${LIVE_OWN_NETWORK:-}" ] || LIVE_OWN_NETWORK=1 exec unshare -n bash "$0"
. "$(dirname "$0")/lib.sh"
ip link set lo up
exporter_port=9100 prometheus_port=9090

for program in prometheus prometheus-node-exporter promtool python3; do
	command -v "$program" >/dev/null || skip_all "$program is not installed"
done
examples=$tests_dir/../data/prometheus
mkdir text

check 'promtool accepts the alerts' promtool check rules "$examples/iotracer.rules.yml"
check 'each alert fires on what it is about, and none without' promtool test rules "$tests_dir/prometheus/iotracer.rules.test.yml"

cat >prometheus.yml <<END
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files: ["$examples/iotracer.rules.yml"]
scrape_configs:
  - job_name: node
    static_configs:
      - targets: ["127.0.0.1:$exporter_port"]
END
prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$tmp/text" \
	--web.listen-address="127.0.0.1:$exporter_port" >exporter.log 2>&1 &
pids+=($!)
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$prometheus_port" >prometheus.log 2>&1 &
pids+=($!)

fail_log()
{
	[ "$cases_failed" = 0 ] || tail -3 exporter.log prometheus.log rows.log
}
ask()
{
	python3 "$tests_dir/readers/prometheus.py" "$prometheus_port" "$@"
}

cat >load.sh <<'END'
exec >/dev/null 2>&1
while [ ! -e stop ]; do
	dd if=/dev/zero of=f bs=4k count=50 conv=fsync; cat f missing; dd if=f of=g bs=64k oflag=direct; rm f g
	sleep 0.2
done
END
"$IOTRACER" record -o rows "${record_options[@]}" --metrics text/iotracer.prom -- sh load.sh 2>rows.log &
tracer=$!
pids+=("$tracer")
check 'it is up while the recording goes on' ask wait iotracer_up 1
fail_log
check 'counters grow, every 15 s' ask wait 'sum(increase(iotracer_operations_total{layer="fs"}[1m])) > bool 0' 1
touch stop
wait "$tracer"
check 'and down when it has ended' ask wait iotracer_up 0
"$IOTRACER" report rows --section operations --csv >section 2>/dev/null
check 'what a query gives is what the report says' ask same section
check 'panels of the dashboard are queries with answers' ask panels "$examples/iotracer-dashboard.json"
check 'types and words arrive' ask types
