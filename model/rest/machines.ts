/** At rest machines run what the API says that they run, and whoever keeps a copy of something has a true one. */
import type { KeptCopy } from './facts.ts';
import { isGoing, textOf, type RestView } from './rest-view.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** Each container belongs to a pod of its node, once, and is the one that the pod speaks of. */
export function containersRest(view: RestView): readonly string[] {
  const pods = new Map(
    view.of('Pod').map((pod) => [pod.metadata.annotations?.[MIRROR] ?? pod.metadata.uid ?? '', pod]),
  );
  const seen = new Set<string>();
  return view.containers.flatMap(({ node, podUid, namespace, podName, name, id }) => {
    const text = `container ${name} of ${namespace}/${podName} on ${node}`;
    const pod = pods.get(podUid);
    if (!pod) return [`${text} runs, and its pod is gone`];
    if (isGoing(pod)) return [];
    if (pod.spec?.nodeName !== node)
      return [`${text} runs, and its pod is on ${pod.spec?.nodeName ?? 'no node'}`];
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
      return [`${text} runs, and ${textOf(pod)} says that it has ended`];
    const place = `${node} ${podUid} ${name}`;
    if (seen.has(place)) return [`${text} runs twice`];
    seen.add(place);
    const {
      containerStatuses = [],
      initContainerStatuses = [],
      ephemeralContainerStatuses = [],
    } = pod.status ?? {};
    const told = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
      (status) => status.name === name,
    );
    return told?.containerID?.endsWith(id) === true
      ? []
      : [`${text} runs, and ${textOf(pod)} does not say so`];
  });
}

/** Copies have every object there is, as it is, and no other. */
export function copiesRest(view: RestView): readonly string[] {
  const stored = new Map<string, Map<string, string>>();
  for (const object of view.all) {
    const { namespace, name = '', resourceVersion = '', uid } = object.metadata;
    // What servers keep for themselves.
    if (uid === undefined) continue;
    const kind = `${object.apiVersion ?? ''} ${object.kind ?? ''}`;
    let known = stored.get(kind);
    if (!known) stored.set(kind, (known = new Map<string, string>()));
    known.set(namespace ? `${namespace}/${name}` : name, resourceVersion);
  }
  return view.copies.flatMap((copy) => copyProblems(copy, stored.get(`${copy.apiVersion} ${copy.kind}`)));
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function copyProblems(
  { by, kind, versions, isPart }: KeptCopy,
  stored: ReadonlyMap<string, string> = NOTHING,
): readonly string[] {
  // A kind that is stored in another version, or not here at all, is not compared.
  if (stored.size === 0 && versions.size > 0) return [];
  for (const [key, version] of versions) {
    const present = stored.get(key);
    if (present === undefined) return [`${by} still knows ${kind} ${key}, which is gone`];
    if (present !== version) return [`${by} knows ${kind} ${key} at ${version}, and it is at ${present}`];
  }
  const unseen = isPart ? undefined : [...stored.keys()].find((key) => !versions.has(key));
  return unseen === undefined ? [] : [`${by} does not know ${kind} ${unseen}`];
}
