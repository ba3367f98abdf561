import type { MetricFamily } from '../api/exposition.ts';

const startedSeconds = Date.now() / 1_000 - process.uptime();
const MICROS_PER_SECOND = 1e6;

/** Facts of the operating system's process, under the names that Prometheus' clients give them. */
export function processMetrics(): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const gauge = (name: string, help: string, value: number): MetricFamily => ({
    name,
    help,
    type: 'gauge',
    samples: [{ labels: {}, value }],
  });
  return [
    {
      ...gauge(
        'process_cpu_seconds_total',
        'Total user and system CPU time spent in seconds.',
        (user + system) / MICROS_PER_SECOND,
      ),
      type: 'counter',
    },
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', process.memoryUsage.rss()),
    gauge(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      startedSeconds,
    ),
  ];
}
