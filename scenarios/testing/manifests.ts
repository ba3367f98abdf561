/** Puts manifests from files into a cluster: definitions of custom resources first, and served before the rest. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ApiObject } from '../../sim/index.ts';
import { handleOf } from './matchers.ts';
import type { TestCluster } from './test-run.ts';

/**
 * Creates what the files hold, in their order, and returns it as the server answers. `patterns`: files, folders, or names with
 * `*` in their last part (`config/crd/*.yaml`). A pattern that fits nothing is a mistake. @throws Error, ApiError
 */
export async function applyFiles(cluster: TestCluster, ...patterns: readonly string[]): Promise<ApiObject[]> {
  const manifests = patterns.flatMap(filesOf).flatMap(manifestsOf);
  const isDefinition = ({ kind }: ApiObject): boolean => kind === 'CustomResourceDefinition';
  const applied: ApiObject[] = [];
  for (const manifest of [
    ...manifests.filter((each) => isDefinition(each)),
    ...manifests.filter((each) => !isDefinition(each)),
  ]) {
    applied.push(await cluster.guests.client.resource(handleOf(cluster, manifest)).create(manifest));
    if (isDefinition(manifest)) await served(cluster, manifest);
  }
  return applied;
}

/** Until its objects can be written, in every version: `Established` alone comes a moment earlier. */
async function served(cluster: TestCluster, definition: ApiObject): Promise<void> {
  const { spec } = definition as Definition;
  for (const { name, served: isServed } of spec.versions) {
    if (!isServed) continue;
    const handle = handleOf(cluster, { apiVersion: `${spec.group}/${name}`, kind: spec.names.kind });
    await cluster.guests.eventually(async () => {
      await cluster.guests.client.resource(handle).list({ limit: 1 });
      return true;
    });
  }
}

interface Definition extends ApiObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

const MANIFEST = /\.(ya?ml|json)$/;

function filesOf(pattern: string): readonly string[] {
  const name = basename(pattern);
  if (!name.includes('*')) {
    if (!statSync(pattern).isDirectory()) return [pattern];
    return filesIn(pattern, (file) => MANIFEST.test(file));
  }
  const parts = name.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  const fits = new RegExp(`^${parts.join('.*')}$`);
  const found = filesIn(dirname(pattern), (file) => fits.test(file));
  if (found.length === 0) throw new Error(`no file is called ${pattern}`);
  return found;
}

const filesIn = (folder: string, fits: (name: string) => boolean): readonly string[] =>
  readdirSync(folder)
    .filter((name) => fits(name))
    .sort()
    .map((name) => join(folder, name));

/** The objects of all documents of a file; lists are what is in them. */
function manifestsOf(file: string): readonly ApiObject[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${file}: ${error.message}`);
    const value: unknown = document.toJS();
    return value === null ? [] : objectsIn(value, file);
  });
}

function objectsIn(value: unknown, file: string): readonly ApiObject[] {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('apiVersion' in value))
    throw new Error(`${file}: a manifest has an apiVersion and a kind`);
  if ('items' in value && Array.isArray(value.items) && String(value.kind).endsWith('List'))
    return value.items.flatMap((item: unknown) => objectsIn(item, file));
  return [value as ApiObject];
}
