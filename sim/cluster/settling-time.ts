/**
 * How long a new cluster takes until everything is up: nodes registered and Ready, service accounts made, leaders
 * elected. A bound from its settings, so that the instant at which it is settled is known before it begins.
 */
import { milliseconds, seconds, type Micros } from '../engine/time.ts';
import type { Latency } from '../engine/link.ts';
import { type NodesOption, templatesOf } from './fleet.ts';

/** With usual messages the last write of a small cluster comes after a tenth of a second. */
const USUAL = milliseconds(200);
/** So many messages follow one another, some with retries in between, … */
const MESSAGES = 25;
/** … and so many of them are news that come through a watch cache. */
const NEWS = 4;
/** Servers answer nodes one after the other at an instant; their controllers have rate limits. */
const PER_NODE = milliseconds(2);

interface SettlingSettings {
  readonly nodes?: NodesOption;
  readonly latency?: Latency;
  readonly watchCacheLag?: Micros;
}

export function settlingTime({ nodes = 0, latency, watchCacheLag = seconds(0) }: SettlingSettings): Micros {
  const slow = MESSAGES * (latency?.max ?? 0) + NEWS * watchCacheLag + PER_NODE * templatesOf(nodes).length;
  return seconds(Math.ceil((USUAL + slow) / seconds(1)));
}
