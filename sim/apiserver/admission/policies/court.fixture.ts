/** A server whose policies judge ConfigMaps of two namespaces: everything that is written there, and what comes of it. */
import type { ApiObject } from '../../../api/object.ts';
import type { StoredObject } from '../../stores/stored-object.ts';
import { assembleCluster } from '../../../cluster/create-cluster.ts';
import { WireUser } from '../../../cluster/wire-user.ts';
import { Simulation } from '../../../engine/simulation.ts';
import { seconds } from '../../../engine/time.ts';
import { MemoryStorage } from '../../../storage/memory-storage.ts';
import type {
  BindingFacts,
  Choice,
  Operation,
  Param,
  PolicyFacts,
  Request,
  Thing,
  Verdict,
} from './judgement.fixture.ts';

export const SPACES = ['default', 'kube-public'] as const;
export const THINGS = ['x', 'y'] as const;
export const PARAMS = ['bound', 'limit'] as const;
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const SERVER = 'apiserver/0';
const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';
const admin = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

export interface Writing {
  readonly operation: Operation;
  readonly space: string;
  readonly name: string;
  readonly thing: Thing;
  readonly isDryRun: boolean;
}

interface Content {
  readonly spec?: object;
  readonly data?: object;
  readonly metadata?: ApiObject['metadata'];
}

export class Court {
  readonly #simulation = new Simulation({ seed: 1, isGuarded: false, isRecording: false });
  #notes: ReadonlyMap<string, string> = new Map();
  readonly #cluster = assembleCluster(this.#simulation, {
    storage: new MemoryStorage<StoredObject>(),
    controllers: [],
    scheduler: false,
    observers: [{ completed: ({ auditAnnotations }) => void (this.#notes = auditAnnotations) }],
  });
  readonly #wire = new WireUser(this.#cluster);
  readonly #things = new Map<string, Thing>();
  readonly #params = new Map<string, Map<string, Param>>(SPACES.map((space) => [space, new Map()]));
  readonly #teams = new Map<string, string>();

  constructor() {
    this.#cluster.advance(seconds(2));
  }

  /** What is there from the beginning. */
  readonly paramsIn = (space: string): ReadonlyMap<string, Param> =>
    this.#params.get(space) ?? new Map<string, Param>();

  #send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, query = {}) {
    const headers = { 'content-type': `application/${method === 'PATCH' ? 'merge-patch+' : ''}json` };
    return this.#wire.request({ method, path, query, headers, user: admin, body });
  }

  /** Makes it what it says, whatever it was; `null`: it goes. */
  #put(collection: string, name: string, content: Content | null): void {
    if (!content) return this.#must(this.#send('DELETE', `${collection}/${name}`));
    const path = `${collection}/${name}`;
    const known = this.#send('GET', path);
    if (known?.status !== 200)
      return this.#must(this.#send('POST', collection, { metadata: { name }, ...content }));
    const { resourceVersion } = contentOf(known.body).metadata;
    const { metadata = { name }, ...rest } = content;
    this.#must(this.#send('PUT', path, { metadata: { ...metadata, resourceVersion }, ...rest }));
  }

  #must(answer: { readonly status: number; readonly body: unknown } | undefined): void {
    if (!answer || (answer.status >= 300 && answer.status !== 404)) throw new Error(JSON.stringify(answer));
  }

  /** A server looks once in a second at what there is. */
  policy(name: string, facts: PolicyFacts | null): void {
    this.#put(`${GROUP}/validatingadmissionpolicies`, name, facts && { spec: policySpec(facts) });
    this.#cluster.advance(seconds(1));
  }

  binding(name: string, facts: BindingFacts | null): void {
    this.#put(`${GROUP}/validatingadmissionpolicybindings`, name, facts && { spec: bindingSpec(facts) });
    this.#cluster.advance(seconds(1));
  }

  param(space: string, name: string, param: Param | null): void {
    const labels = param?.isShown === true ? { shown: 'yes' } : {};
    const data = typeof param?.most !== 'number' ? {} : { most: String(param.most) };
    this.#put(mapsOf(space), name, param && { metadata: { name, labels }, data });
    if (param) this.#params.get(space)?.set(name, param);
    else this.#params.get(space)?.delete(name);
  }

  team(space: string, team: string | null): void {
    this.#must(this.#send('PATCH', `/api/v1/namespaces/${space}`, { metadata: { labels: { team } } }));
    if (team === null) this.#teams.delete(space);
    else this.#teams.set(space, team);
  }

  bounce(): void {
    this.#cluster.faults.crash(SERVER);
    this.#cluster.faults.restart(SERVER);
    this.#cluster.advance(seconds(10));
  }

  /** As policies see it; undefined: the object is there already, or is not. */
  request({ operation, space, name, thing, isDryRun }: Writing): Request | undefined {
    const old = this.#things.get(`${space}/${name}`);
    if ((old === undefined) !== (operation === 'CREATE')) return undefined;
    const object = operation === 'DELETE' ? undefined : thing;
    return { operation, isDryRun, space, team: this.#teams.get(space), object, old };
  }

  send({ operation, space, name, thing, isDryRun }: Writing): Verdict {
    const query = isDryRun ? { dryRun: 'All' } : {};
    const { n, kind } = thing;
    const body = { metadata: { name, labels: { kind } }, data: { n: String(n) } };
    const path = operation === 'CREATE' ? mapsOf(space) : `${mapsOf(space)}/${name}`;
    const answer = this.#send(METHODS[operation], path, operation === 'DELETE' ? undefined : body, query);
    if (!answer) throw new Error('no answer');
    const { status, warnings, body: said } = answer;
    if (!isDryRun && status < 300) this.#note(`${space}/${name}`, operation === 'DELETE' ? undefined : thing);
    return {
      denied: status < 300 ? undefined : { code: status, message: untilWhy(contentOf(said).message ?? '') },
      warnings: warnings.map(untilWhy),
      notes: Object.fromEntries([...this.#notes].filter(([key]) => isOfPolicies(key)).map(noteOf)),
    };
  }

  #note(key: string, thing: Thing | undefined): void {
    if (thing) this.#things.set(key, thing);
    else this.#things.delete(key);
  }
}

/** Some come as texts. */
const contentOf = (body: unknown): ApiObject & { readonly message?: string } =>
  (typeof body === 'string' ? JSON.parse(body) : body) as ApiObject;

const METHODS = { CREATE: 'POST', UPDATE: 'PUT', DELETE: 'DELETE' } as const;
const mapsOf = (space: string): string => `/api/v1/namespaces/${space}/configmaps`;
const isOfPolicies = (key: string): boolean => key === FAILURE || key.endsWith('/n');
const untilWhy = (text: string): string =>
  text.replace(/^configmaps "\w+" is forbidden: /, '').replace(/(resulted in error): .*$/s, '$1');

function noteOf([key, text]: [string, string]): [string, string] {
  if (key !== FAILURE) return [key, text];
  const [said] = JSON.parse(text) as readonly {
    policy: string;
    binding: string;
    expressionIndex: number;
    message: string;
  }[];
  return [key, [said?.policy, said?.binding, said?.expressionIndex, untilWhy(said?.message ?? '')].join(' ')];
}

const choice = ({ kind, team }: Choice): object => ({
  ...(kind !== undefined && { objectSelector: { matchLabels: { kind } } }),
  ...(team !== undefined && { namespaceSelector: { matchLabels: { team } } }),
});

const MAPS = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** What others take their bounds from is not judged. */
const policySpec = ({
  isLenient,
  hasParams,
  operations,
  conditions,
  checks,
  note,
  ...chosen
}: PolicyFacts): object => ({
  failurePolicy: isLenient ? 'Ignore' : 'Fail',
  ...(hasParams && { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
  matchConstraints: {
    ...choice(chosen),
    resourceRules: [{ ...MAPS, operations }],
    excludeResourceRules: [{ ...MAPS, operations: ['*'], resourceNames: [...PARAMS] }],
  },
  matchConditions: conditions.map(({ text }, at) => ({ name: `c${at}`, expression: text })),
  validations: checks.map(({ text, message, told, reason }) => ({
    expression: text,
    ...(message !== undefined && { message }),
    ...(told && { messageExpression: told.text }),
    ...(reason && { reason }),
  })),
  ...(note && { auditAnnotations: [{ key: 'n', valueExpression: note.text }] }),
});

const bindingSpec = ({ policy, actions, ref, ...chosen }: BindingFacts): object => ({
  policyName: policy,
  validationActions: actions,
  matchResources: choice(chosen),
  ...(ref && {
    paramRef: {
      ...(ref.name === undefined ? { selector: { matchLabels: { shown: 'yes' } } } : { name: ref.name }),
      ...(ref.space !== undefined && { namespace: ref.space }),
      parameterNotFoundAction: ref.isNeeded ? 'Deny' : 'Allow',
    },
  }),
});
