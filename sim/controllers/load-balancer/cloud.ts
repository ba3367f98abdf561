/**
 * The load balancers of an imagined cloud: who asks gets an address that no other service has. What the cloud does for a
 * service (how long it takes, how often it fails) says the annotation `load-balancer.kubesim.dev/behaviour` in JSON:
 * `{"takesSeconds": 5, "fails": 2, "message": "quota exceeded"}`. Pure.
 */
import { behaviourAnnotation } from '../../api/behaviour-annotation.ts';
import type { Service } from '../../api/types/core-v1.ts';

const BEHAVIOUR = 'load-balancer.kubesim.dev/behaviour';
/** A range for documentation: nobody else has it. */
const RANGE = '203.0.113.';
const SIZE = 254;

export interface CloudBehaviour {
  readonly takesSeconds: number;
  /** How many attempts fail before one succeeds. */
  readonly fails: number;
  readonly message: string;
}

export function cloudBehaviourOf({ metadata }: Service): CloudBehaviour {
  const { numberOf, textOf } = behaviourAnnotation(metadata, BEHAVIOUR);
  return {
    takesSeconds: numberOf('takesSeconds'),
    fails: numberOf('fails'),
    message: textOf('message') ?? 'the cloud has failed',
  };
}

export const addressesOf = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);

/**
 * What it has, what it wants, or the first that nobody has; undefined: there is none left. `given`: to others, who may not
 * show it yet.
 */
export function addressFor(
  service: Service,
  all: readonly Service[],
  given: Iterable<string> = [],
): string | undefined {
  const [own] = addressesOf(service);
  const wanted = own ?? service.spec?.loadBalancerIP;
  if (wanted) return wanted;
  const others = all.filter(({ metadata }) => metadata.uid !== service.metadata.uid);
  const taken = new Set([...others.flatMap(addressesOf), ...given]);
  for (let last = 1; last <= SIZE; last++) if (!taken.has(RANGE + last)) return RANGE + last;
  return undefined;
}
