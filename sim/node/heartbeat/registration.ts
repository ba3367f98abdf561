/**
 * How an agent makes its node known: it creates the Node, or finds the one that is there already and puts right what is
 * its own. Failures are waited out, 200 ms doubling to 7 s. Specification: "Node".
 */
import type { Node } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isAlreadyExists, isCallFailure } from '../../client/api-failure.ts';
import { Backoff } from '../../client/backoff.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { conditionsOf, type MachineView } from './conditions.ts';
import { type MachineFacts, nodeOf, type NodeTemplate, ownLabelsOf } from '../node-template.ts';

const { nodes } = BUILTIN_HANDLES;
const MANAGED_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
/** Labels that go when the machine has no such value any more. */
const OPTIONAL_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

export interface RegistrationOptions {
  readonly client: ApiClient;
  readonly template: NodeTemplate;
  readonly facts: MachineFacts;
  readonly machine: MachineView;
}

/** The registered Node. */
export function* register(options: RegistrationOptions): Process<Node> {
  const { client } = options;
  const backoff = new Backoff({ first: milliseconds(200), cap: seconds(7) });
  for (;;) {
    try {
      return yield* createOrCorrect(options);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      yield* client.context.sleep(backoff.next());
    }
  }
}

/** An agent registers before it knows how its runtime is; the first report tells. */
const starting = (machine: MachineView): MachineView => ({
  isUnder: (pressure) => machine.isUnder(pressure),
  hasNetwork: machine.hasNetwork,
  problems: ['container runtime status check may not have completed yet', ...machine.problems],
});

function* createOrCorrect({ client, template, facts, machine }: RegistrationOptions): Process<Node> {
  try {
    const conditions = conditionsOf(starting(machine), [], client.context.wallMs());
    return yield* client.create(nodes, nodeOf(template, facts, conditions));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const present = yield* client.get(nodes, template.name);
  const correction = correctionOf(present, template);
  if (!correction) return present;
  return yield* client.patch(nodes, template.name, { type: 'strategic', body: { metadata: correction } });
}

/** What of the metadata is not as the agent wants it; labels of others are left alone. Undefined: nothing. */
export function correctionOf({ metadata }: Node, template: NodeTemplate): object | undefined {
  const wanted = ownLabelsOf(template);
  const labels: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(wanted))
    if (metadata.labels?.[name] !== value) labels[name] = value;
  for (const name of OPTIONAL_LABELS) {
    if (!(name in wanted) && metadata.labels?.[name] !== undefined) labels[name] = null;
  }
  const isAttachRight = metadata.annotations?.[MANAGED_ATTACH] === 'true';
  if (Object.keys(labels).length === 0 && isAttachRight) return undefined;
  return {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(!isAttachRight && { annotations: { [MANAGED_ATTACH]: 'true' } }),
  };
}
