/**
 * Where nothing ever went wrong, whoever does something for others has said so in an Event: who made a pod, who gave it its
 * node, who started its containers. Events may get lost, are put together when they are many, and go after an hour.
 */
import type { Event, Pod } from '../../sim/api/types/core-v1.ts';
import { controllerOf } from '../workloads/owned-pods.ts';
import { isGoing, textOf, type RestView } from './rest-view.ts';

const LASTING_MS = 50 * 60_000;
/** Of so many of one sort about one object none is put together with others. */
const FEW = 8;
const MAKERS: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job']);

export function deedsAreTold(view: RestView): readonly string[] {
  if (!view.isCalm) return [];
  const events = view.named('Event').map((event) => toldOf(event as Event));
  const about = (uid: string | undefined, ...reasons: readonly string[]): readonly Told[] =>
    events.filter((each) => each.uid === uid && reasons.includes(each.reason));
  return view.of('Pod').flatMap((pod) => {
    const owner = controllerOf(pod);
    const { uid, name = '', generateName, creationTimestamp } = pod.metadata;
    if (!owner || !MAKERS.has(owner.kind) || isGoing(pod)) return [];
    if (view.nowMs - Date.parse(creationTimestamp ?? '') > LASTING_MS) return [];
    const made = about(owner.uid, 'SuccessfulCreate').length;
    // By a former owner, where this one has adopted it.
    const isMade =
      made > FEW ||
      // By hand, and adopted: who makes pods for others leaves their names to the server, or says what they begin with.
      generateName === undefined ||
      events.some(({ reason, message }) => reason === 'SuccessfulCreate' && message.includes(name));
    const isPlaced =
      !pod.spec?.nodeName ||
      about(uid, 'Scheduled').some(({ message }) => message.endsWith(pod.spec?.nodeName ?? ''));
    const started = about(uid, 'Started', 'Created').length;
    return [
      ...(isMade ? [] : [`${textOf(pod)} was made, and ${owner.kind} ${owner.name} has told nobody`]),
      ...(isPlaced ? [] : [`${textOf(pod)} was placed, and nobody was told`]),
      ...(hasStarted(pod) && started === 0
        ? [`containers of ${textOf(pod)} were started, and nobody was told`]
        : []),
    ];
  });
}

interface Told {
  readonly uid: string | undefined;
  readonly reason: string;
  readonly message: string;
}

const toldOf = ({ involvedObject, reason = '', message = '' }: Event): Told => ({
  uid: involvedObject.uid,
  reason,
  message,
});

/** An agent that does not take a pod starts nothing. */
const hasStarted = ({ status }: Pod): boolean =>
  (status?.containerStatuses ?? []).some(({ state }) => state?.running ?? state?.terminated?.startedAt);
