/** What servers keep of themselves: who of them is there, the service that leads to them, and the rights that they come with. */
import { expect } from 'vitest';
import type { ConfigMap, Endpoints } from '../../api/types/core-v1.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import { minutes } from '../../index.ts';
import type { OwnServers } from './own-servers.fixture.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const NAME = 'system:basic-user';
const OWN_SUBJECT = 'system:authenticated';
const OTHER_SUBJECT = { kind: 'User', name: 'mallory', apiGroup: 'rbac.authorization.k8s.io' };

const MAPS = '/api/v1/namespaces/kube-system/configmaps';
const MAP = 'kube-apiserver-legacy-service-account-token-tracking';
/** So long a server waits before it makes the map once more. */
const MADE_ANEW = minutes(31);

export const SPOILS = ['subjects', 'others', 'another role', 'rules'] as const;
export type Spoil = (typeof SPOILS)[number];
/** What is not there any more when that is done. */
const OPPOSITE: Partial<Record<Spoil, Spoil>> = { subjects: 'others', others: 'subjects' };

export class OwnObjects {
  readonly #servers: OwnServers;
  #isLeftAlone = false;
  #spoiled: ReadonlySet<Spoil> = new Set();
  /** What a server that has started since then does to it. */
  #due: { readonly spoiled: ReadonlySet<Spoil>; readonly isMended: boolean } | undefined;

  constructor(servers: OwnServers) {
    this.#servers = servers;
  }

  /** `object`: of the service `kubernetes`. */
  meddle(object: 'endpoints' | 'services', does: 'delete' | 'change'): void {
    const path = `/api/v1/namespaces/default/${object}/kubernetes`;
    if (does === 'delete') this.#servers.ask('DELETE', path);
    else if (object === 'endpoints') this.#servers.ask('PATCH', path, { body: { subsets: [] } });
  }

  /** With the ConfigMap in which servers say since when they note who uses old tokens. */
  meddleWithMap(does: 'delete' | 'blur' | 'add'): void {
    if (does === 'delete') this.#servers.ask('DELETE', `${MAPS}/${MAP}`);
    else if (does === 'blur')
      this.#servers.ask('PATCH', `${MAPS}/${MAP}`, { body: { data: { since: 'once' } } });
    else this.#patch(`${MAPS}/${MAP}`, { data: { mine: 'x' } });
  }

  /** It is there again by then, whoever has made it last and when. */
  waitForMap(): void {
    this.#servers.advance(MADE_ANEW);
    if (this.#servers.areWell) expect(this.#map, 'the map that servers keep').toBeDefined();
  }

  get #map(): ConfigMap | undefined {
    return (this.#servers.stored(`/registry/configmaps/kube-system/${MAP}`) as readonly ConfigMap[])[0];
  }

  #checkMap(): void {
    const { data } = this.#map ?? {};
    if (data) expect(data['since']).toMatch(/^\d{4}-\d\d-\d\d$/);
  }

  leaveAlone(isLeft: boolean): void {
    const body = { metadata: { annotations: { [AUTO_UPDATE]: String(!isLeft) } } };
    const done = ['clusterroles', 'clusterrolebindings'].map(
      (resource) => this.#servers.ask('PATCH', `${RBAC}/${resource}/${NAME}`, { body })?.status,
    );
    if (done.every((status) => status === 200)) this.#isLeftAlone = isLeft;
  }

  spoil(what: Spoil): void {
    const binding = `${RBAC}/clusterrolebindings`;
    if (what === 'rules') this.#spoiledBy(what, this.#patch(`${RBAC}/clusterroles/${NAME}`, { rules: [] }));
    else if (what === 'subjects') this.#spoiledBy(what, this.#patch(`${binding}/${NAME}`, { subjects: [] }));
    else if (what === 'others')
      this.#spoiledBy(what, this.#patch(`${binding}/${NAME}`, { subjects: [OTHER_SUBJECT] }));
    else {
      const { body } = this.#servers.ask('GET', `${binding}/${NAME}`) ?? {};
      if (!body || this.#servers.ask('DELETE', `${binding}/${NAME}`)?.status !== 200) return;
      const { annotations, labels } = body.metadata;
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
      const metadata = { name: NAME, ...(annotations && { annotations }), ...(labels && { labels }) };
      const made = { ...body, metadata, roleRef };
      this.#spoiledBy(what, this.#servers.ask('POST', binding, { body: made })?.status === 201);
    }
  }

  #patch(path: string, body: object): boolean {
    return this.#servers.ask('PATCH', path, { body })?.status === 200;
  }

  #spoiledBy(what: Spoil, isDone: boolean): void {
    if (!isDone) return;
    const other = OPPOSITE[what];
    this.#spoiled = new Set([...[...this.#spoiled].filter((each) => each !== other), what]);
    this.#due = undefined;
  }

  /** A server has started: what is spoiled is mended, unless it is to be left alone; where nothing can be written, later. */
  started(isDone: boolean): void {
    const spoiled = this.#spoiled;
    this.#due = isDone && spoiled.size > 0 ? { spoiled, isMended: !this.#isLeftAlone } : undefined;
    if (!isDone || !this.#isLeftAlone) this.#spoiled = new Set();
  }

  #checkRights(): void {
    if (!this.#due) return;
    const { spoiled, isMended } = this.#due;
    const [binding] = this.#servers.stored(
      `/registry/clusterrolebindings/${NAME}`,
    ) as readonly ClusterRoleBinding[];
    const [role] = this.#servers.stored(`/registry/clusterroles/${NAME}`) as readonly ClusterRole[];
    const names = binding?.subjects?.map(({ name }) => name) ?? [];
    const state = {
      ...{ subjects: names.includes(OWN_SUBJECT), others: names.includes(OWN_SUBJECT) },
      'another role': binding?.roleRef.name === NAME,
      rules: (role?.rules ?? []).length > 0,
    };
    for (const what of spoiled) expect([what, state[what]]).toEqual([what, isMended]);
    // A binding that is made anew has nobody else in it.
    if (spoiled.has('others') && !spoiled.has('another role')) expect(names).toContain(OTHER_SUBJECT.name);
  }

  /** Whoever is away for longer than its lease is not there. */
  check(): void {
    this.#checkRights();
    this.#checkMap();
    const { up } = this.#servers;
    const wanted = up.map((name) => `192.0.2.${10 + Number(name.split('/')[1])}`);
    expect(this.#servers.keys('/registry/masterleases/')).toEqual(wanted);
    const [endpoints] = this.#servers.stored(
      '/registry/services/endpoints/default/kubernetes',
    ) as readonly Endpoints[];
    const shown = endpoints?.subsets?.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
    expect(shown).toEqual(wanted);
    expect(this.#servers.keys('/registry/services/specs/default/')).toContain('kubernetes');
  }
}
