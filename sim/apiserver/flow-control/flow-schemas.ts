/**
 * Priority and fairness, as far as it shows: which FlowSchema a request belongs to, and the priority level of that.
 * Requests do not queue. Specification: "Endpoints" (not shown: Kubernetes' API priority and fairness).
 */
import type {
  FlowSchema,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from '../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/request.ts';
import type { StoreView } from '../request/server-view.ts';
import type { ResourceStore } from '../stores/resource-store.ts';

const SCHEMAS = 'flowschemas.flowcontrol.apiserver.k8s.io';
const LEVELS = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const ANY = '*';

/** UIDs of the two objects. */
export interface Flow {
  readonly schemaUid: string;
  readonly levelUid: string;
}

interface KnownSchema {
  readonly schema: FlowSchema;
  readonly flow: Flow;
}

export class FlowSchemas {
  readonly #stores: StoreView;
  #schemaStore: ResourceStore | undefined;
  #levelStore: ResourceStore | undefined;
  #known: readonly KnownSchema[] = [];
  #knownAt = '';

  constructor(stores: StoreView) {
    this.#stores = stores;
  }

  /** The first schema that matches, in the order of precedence; undefined: none is there (the storage is not filled yet). */
  flowOf(info: RequestInfo, user: UserInfo): Flow | undefined {
    return this.#schemas().find(({ schema }) => schema.spec?.rules?.some((rule) => matches(rule, info, user)))
      ?.flow;
  }

  /** Read again when one of them was written. */
  #schemas(): readonly KnownSchema[] {
    const schemas = (this.#schemaStore ??= this.#storeOf(SCHEMAS));
    const levels = (this.#levelStore ??= this.#storeOf(LEVELS));
    if (!schemas || !levels) return [];
    const version = `${schemas.cache.lastEventRevision}/${levels.cache.lastEventRevision}`;
    if (version !== this.#knownAt) {
      this.#known = knownSchemas(schemas, levels);
      this.#knownAt = version;
    }
    return this.#known;
  }

  #storeOf(text: string): ResourceStore | undefined {
    const resource = this.#stores.registry.findByText(text);
    return resource && this.#stores.storeOf(resource);
  }
}

function knownSchemas(schemas: ResourceStore, levels: ResourceStore): readonly KnownSchema[] {
  const uids = new Map(
    (objectsIn(levels) as readonly PriorityLevelConfiguration[]).map(({ metadata }) => [
      metadata.name,
      metadata.uid ?? '',
    ]),
  );
  return (objectsIn(schemas) as readonly FlowSchema[])
    .flatMap((schema): KnownSchema[] => {
      const levelUid = uids.get(schema.spec?.priorityLevelConfiguration.name);
      return levelUid === undefined
        ? []
        : [{ schema, flow: { schemaUid: schema.metadata.uid ?? '', levelUid } }];
    })
    .sort(
      ({ schema: left }, { schema: right }) =>
        precedenceOf(left) - precedenceOf(right) || (nameOf(left) < nameOf(right) ? -1 : 1),
    );
}

const objectsIn = (store: ResourceStore): readonly object[] =>
  store.cache.list({ prefix: store.prefix }).entries.map(({ value }) => value);

const precedenceOf = ({ spec }: FlowSchema): number => spec?.matchingPrecedence ?? 0;
const nameOf = ({ metadata }: FlowSchema): string => metadata.name ?? '';

function matches(
  { subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
  info: RequestInfo,
  user: UserInfo,
): boolean {
  if (!subjects?.some((subject) => isSubject(subject, user))) return false;
  if (info.isResourceRequest) return (resourceRules ?? []).some((rule) => matchesResource(rule, info));
  return (nonResourceRules ?? []).some(
    ({ verbs, nonResourceURLs }) =>
      hasAny(verbs, info.verb) && (nonResourceURLs ?? []).some((url) => matchesPath(url, info.path)),
  );
}

function isSubject({ kind, user: one, group, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  switch (kind) {
    case 'User':
      return one?.name === ANY || one?.name === name;
    case 'Group':
      return group?.name === ANY || groups.includes(group?.name ?? '');
    case 'ServiceAccount': {
      if (!serviceAccount) return false;
      const prefix = `${SERVICE_ACCOUNT}${serviceAccount.namespace}:`;
      return serviceAccount.name === ANY
        ? name.startsWith(prefix)
        : name === `${prefix}${serviceAccount.name}`;
    }
    default:
      return false;
  }
}

function matchesResource(rule: ResourcePolicyRule, info: RequestInfo): boolean {
  const { verbs, apiGroups, resources, namespaces, clusterScope } = rule;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  if (!hasAny(verbs, info.verb) || !hasAny(apiGroups, info.group) || !hasAny(resources, resource))
    return false;
  return info.namespace === '' ? clusterScope === true : hasAny(namespaces, info.namespace);
}

const hasAny = (list: readonly string[] | null | undefined, value: string): boolean =>
  list?.some((each) => each === ANY || each === value) ?? false;

const matchesPath = (url: string, path: string): boolean =>
  url === ANY || url === path || (url.endsWith(ANY) && path.startsWith(url.slice(0, -1)));
