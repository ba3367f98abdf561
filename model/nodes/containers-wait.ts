/**
 * A container starts when what it waits for has come: init containers one after the other, each after those before it, the others
 * after all of them, once for each sandbox; and none before the volumes of its pod that are to be attached were, as its Node
 * said. Kubernetes 1.31: "Init Containers", "CSI volumes".
 */
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../sim/api/types/core-v1.ts';
import type { CSIDriver } from '../../sim/api/types/storage-k8s-io-v1.ts';
import type { NodeRule, Observation, ObservationOf, RuleSettings } from './observation.ts';

interface Known {
  readonly pod: Pod;
  /** When it was given its node. */
  readonly boundAt: number;
}

export class ContainersWait implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #pods = new Map<string, Known>();
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #volumes = new Map<string, PersistentVolume>();
  /** Drivers whose volumes nobody attaches. */
  readonly #unattached = new Set<string>();
  /** Until when a Node said that it has a volume, by its name and that of the volume; Infinity: it does. */
  readonly #shownUntil = new Map<string, number>();
  /** Names of containers that were started, by machine and pod. */
  readonly #started = new Map<string, Set<string>>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'stored') this.#stored(observation);
    else if (observation.kind === 'container-started') this.#containerStarted(observation);
    else if (observation.kind === 'container-stopped' && observation.endedAt === undefined) {
      // Nobody knows of it any more: its sandbox is gone, too.
      const { machine, container } = observation;
      this.#started.delete(`${machine} ${container.podUid}`);
    }
  }

  look(): void {
    // Only a start can come too early.
  }

  #stored({ at, before, after }: ObservationOf<'stored'>): void {
    const object = after ?? before;
    const { kind, metadata } = object ?? {};
    const { name = '', namespace = '', uid = '' } = metadata ?? {};
    if (kind === 'Pod') this.#podStored(at, uid, after);
    else if (kind === 'Node') this.#nodeStored(at, before, after);
    else if (kind === 'PersistentVolumeClaim') put(this.#claims, `${namespace}/${name}`, after);
    else if (kind === 'PersistentVolume') put(this.#volumes, name, after);
    else if (kind === 'CSIDriver') {
      if ((after as CSIDriver | undefined)?.spec.attachRequired === false) this.#unattached.add(name);
      else this.#unattached.delete(name);
    }
  }

  #podStored(at: number, uid: string, pod: Pod | undefined): void {
    if (!pod?.spec?.nodeName) this.#pods.delete(uid);
    else this.#pods.set(uid, { pod, boundAt: this.#pods.get(uid)?.boundAt ?? at });
  }

  #nodeStored(at: number, before: Node | undefined, after: Node | undefined): void {
    const node = (after ?? before)?.metadata.name ?? '';
    for (const { name } of before?.status?.volumesAttached ?? []) this.#shownUntil.set(`${node} ${name}`, at);
    for (const { name } of after?.status?.volumesAttached ?? [])
      this.#shownUntil.set(`${node} ${name}`, Infinity);
  }

  #containerStarted({ at, machine, container }: ObservationOf<'container-started'>): void {
    const { podUid, name, namespace, podName } = container;
    const known = this.#pods.get(podUid);
    if (!known) return;
    const key = `${machine} ${podUid}`;
    const started = this.#started.get(key) ?? new Set<string>();
    const missing = namesBefore(known.pod, name).find((each) => !started.has(each));
    const what = `container ${name} of ${namespace}/${podName} on ${machine} was started before`;
    if (missing !== undefined) this.#settings.report(at, `${what} container ${missing} was`);
    this.#started.set(key, started.add(name));
    const late = this.#volumesOf(known.pod).find((volume) => !this.#wasShown(known, volume));
    if (late !== undefined) this.#settings.report(at, `${what} volume ${late} was attached`);
  }

  #wasShown({ pod, boundAt }: Known, volume: string): boolean {
    const until = this.#shownUntil.get(`${pod.spec?.nodeName ?? ''} ${volume}`);
    return until !== undefined && until >= boundAt;
  }

  /** As Nodes call them. */
  #volumesOf({ metadata, spec }: Pod): readonly string[] {
    return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
      const claimName =
        persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name ?? ''}-${name}` : '');
      const claim = this.#claims.get(`${metadata.namespace ?? ''}/${claimName}`);
      const { csi } = this.#volumes.get(claim?.spec?.volumeName ?? '')?.spec ?? {};
      if (!csi || this.#unattached.has(csi.driver)) return [];
      return [`kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`];
    });
  }
}

function put<T>(known: Map<string, T>, key: string, value: unknown): void {
  if (value === undefined) known.delete(key);
  else known.set(key, value as T);
}

/** Names of the init containers that come before one; of those that are added to a pod that runs, nobody is before. */
function namesBefore({ spec }: Pod, name: string): readonly string[] {
  const names = (spec?.initContainers ?? []).map((each) => each.name);
  const at = names.indexOf(name);
  if (at >= 0) return names.slice(0, at);
  return spec?.containers.some((each) => each.name === name) === true ? names : [];
}
