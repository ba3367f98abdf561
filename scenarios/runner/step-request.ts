/** What a step asks of the API: the request that its verb and its fields mean. Pure. */
import { pathOf, type ResourcePlace } from '../world/kinds.ts';
import type { Probe, Step } from '../language/scenario-shape.ts';
import { STEP_VERBS } from '../language/step-shape.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import { formatDuration } from '../language/duration.ts';
import { ScenarioError } from '../language/variables.ts';
import type { WorldRequest } from '../world/world.ts';

/** Finds where objects of a kind live. @throws ScenarioError when there is no such kind */
export type FindPlace = (apiVersion: string, kind: string) => ResourcePlace;

export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

const PATCH_TYPES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

/** The kind that a step is about, if it is about one. */
export function kindOf(step: Step): KindName | undefined {
  const manifest = step.create ?? step.apply ?? step.update;
  if (manifest) return { apiVersion: text(manifest['apiVersion']) ?? '', kind: text(manifest['kind']) ?? '' };
  const target = step.get ?? step.list ?? step.watch ?? step.patch ?? step.delete ?? step.edit ?? step.pages;
  return target && { apiVersion: target.apiVersion ?? 'v1', kind: target.kind };
}

/** The request of a step whose variables are filled in; undefined when its verb is none. */
export function requestOf(step: Step, find: FindPlace): WorldRequest | undefined {
  const bare = bareRequest(step, find);
  if (!bare) return undefined;
  const isManifest = step.create ?? step.apply ?? step.update ?? step.patch;
  const query = { ...(isManifest && STRICT), ...bare.query, ...step.query };
  const headers = { ...bare.headers, ...step.headers };
  return { ...bare, query, headers, server: step.server, user: step.as };
}

/** A misspelt field is a mistake of the author, unless the step says otherwise. */
const STRICT = { fieldValidation: 'Strict' };

function bareRequest(step: Step, find: FindPlace): WorldRequest | undefined {
  if (step.request) return rawRequest(step.request);
  const kind = kindOf(step);
  if (!kind) return undefined;
  const place = find(kind.apiVersion, kind.kind);
  const manifest = step.create ?? step.apply ?? step.update;
  if (manifest) return manifestRequest(step, manifest, place);
  const { subresource } = step;
  if (step.get) return { method: 'GET', path: pathOf(place, { ...named(step.get), subresource }) };
  if (step.delete) {
    const { options } = step.delete;
    return { method: 'DELETE', path: pathOf(place, named(step.delete)), ...(options && { body: options }) };
  }
  if (step.patch) {
    const { type = 'merge', patch } = step.patch;
    return {
      method: 'PATCH',
      path: pathOf(place, { ...named(step.patch), subresource }),
      headers: { 'content-type': PATCH_TYPES[type] ?? '' },
      body: patch,
    };
  }
  const { list, watch } = step;
  if (list)
    return {
      method: 'GET',
      path: collectionPath(place, list),
      query: textsOf({
        ...selection(list),
        limit: list.limit,
        continue: list.continue,
        resourceVersionMatch: list.resourceVersionMatch,
      }),
    };
  if (watch)
    return {
      method: 'GET',
      path: collectionPath(place, watch),
      query: textsOf({ ...selection(watch), watch: true, allowWatchBookmarks: watch.bookmarks }),
    };
  return undefined;
}

function rawRequest({
  method = 'GET',
  path,
  node,
  query,
  headers,
  body,
}: NonNullable<Step['request']>): WorldRequest {
  const [bare = '', inline = ''] = path.split('?', 2);
  const inlineQuery = Object.fromEntries(new URLSearchParams(inline));
  return {
    method,
    path: bare,
    ...(node !== undefined && { node }),
    query: { ...inlineQuery, ...query },
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  };
}

function manifestRequest(step: Step, manifest: JsonMap, place: ResourcePlace): WorldRequest {
  const metadata = (manifest['metadata'] ?? {}) as JsonMap;
  const name = text(metadata['name']);
  const namespace = text(metadata['namespace']) ?? 'default';
  const { subresource } = step;
  if (step.create)
    return {
      method: 'POST',
      path: pathOf(place, { namespace, ...(subresource !== undefined && { name, subresource }) }),
      body: manifest,
    };
  if (name === undefined) throw new ScenarioError('the manifest has no metadata.name');
  const path = pathOf(place, { namespace, name, subresource });
  if (step.update) return { method: 'PUT', path, body: manifest };
  return {
    method: 'PATCH',
    path,
    query: { fieldManager: 'kubesim' },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: manifest,
  };
}

const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

interface Named {
  readonly namespace?: string;
  readonly name: string;
}

const named = ({ namespace = 'default', name }: Named): { namespace: string; name: string } => ({
  namespace,
  name,
});

const collectionPath = (
  place: ResourcePlace,
  { allNamespaces, namespace = 'default' }: { readonly allNamespaces?: boolean; readonly namespace?: string },
): string => pathOf(place, allNamespaces ? {} : { namespace });

const selection = (fields: {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
}): Record<string, string | undefined> => ({
  labelSelector: fields.labelSelector,
  fieldSelector: fields.fieldSelector,
  resourceVersion: fields.resourceVersion,
});

function textsOf(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** A step in a few words: `create ConfigMap default/a`, `advance 40s`. */
export function titleOf(step: Step | Probe): string {
  if ('name' in step && step.name !== undefined) return step.name;
  const all: Step = step;
  if (all.request) return `${all.request.method ?? 'GET'} ${all.request.path}`;
  const manifest = all.create ?? all.apply ?? all.update;
  if (manifest) return `${verbOf(all)} ${text(manifest['kind']) ?? ''} ${nameIn(manifest)}`;
  const one = all.get ?? all.patch ?? all.delete ?? all.edit;
  if (one)
    return `${verbOf(all)} ${one.kind} ${one.namespace === undefined ? '' : `${one.namespace}/`}${one.name}`;
  const many = all.list ?? all.watch ?? all.pages;
  if (many) return `${verbOf(all)} ${many.kind}`;
  if (all.events) return `events of ${all.events.stream}`;
  if (all.stop !== undefined) return `stop ${all.stop}`;
  if (all.advance !== undefined) return `advance ${formatDuration(all.advance)}`;
  if (all.fault) return faultTitle(all.fault);
  if (all.eventually)
    return `eventually, within ${formatDuration(all.eventually.within)}: ${titleOf(all.eventually)}`;
  if (all.always) return `always, for ${formatDuration(all.always.for)}: ${titleOf(all.always)}`;
  if (all.restore) return `restore ${all.restore.pod}/${all.restore.container} onto ${all.restore.onto}`;
  if (all.webhook) return `webhook ${all.webhook.name}: ${all.webhook.answers ?? 'allow'}`;
  if (all.upgrade) return `upgrade to ${all.upgrade.release}`;
  if (all.downgrade) return `downgrade to ${all.downgrade.release}`;
  if (all.migrateStorage) return 'migrate the storage';
  if (all.together) return `${all.together.steps.length} requests together`;
  if (all.drain) return `drain ${all.drain.node}`;
  if (all.settle) return 'the cluster comes to rest';
  if (all.repeat) return `repeat ${all.repeat.times} times`;
  return `set ${Object.keys(all.set ?? {}).join(', ')}`;
}

function faultTitle(fault: NonNullable<Step['fault']>): string {
  const [verb = '', fields = {}] = Object.entries(fault)[0] ?? [];
  const { from, to, actor, node } = fields as Readonly<Record<string, string | undefined>>;
  if (from !== undefined) return `${verb} ${from} and ${to ?? 'everybody else'}`;
  return `${verb} ${actor ?? node ?? ''}`.trim();
}

function nameIn(manifest: JsonMap): string {
  const { namespace, name, generateName } = (manifest['metadata'] ?? {}) as Readonly<
    Record<string, string | undefined>
  >;
  return `${namespace === undefined ? '' : `${namespace}/`}${name ?? `${generateName ?? ''}…`}`;
}

export const verbOf = (step: Step): string => STEP_VERBS.find((verb) => step[verb] !== undefined) ?? 'set';
