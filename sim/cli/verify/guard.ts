/**
 * What a verification may ask of a cluster that is not its own: everything in namespaces that it made, dry runs and
 * reviews anywhere, and objects of the whole cluster that carry its mark in their names. Reads harm nobody.
 */

/** Begins the names of namespaces, and is in every name of an object outside of one. */
export const MARK = 'kubesim-verify';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const REVIEWS =
  /^\/apis\/(?:authentication|authorization)\.k8s\.io\/[^/]+\/(?:namespaces\/[^/]+\/)?[a-z]+reviews$/;
const IN_NAMESPACE = /^(?:\/api\/v1|\/apis\/[^/]+\/[^/]+)\/namespaces\/([^/]+)(?:\/|$)/;
const NAMED = /^(?:\/api\/v1|\/apis\/[^/]+\/[^/]+)\/[^/]+\/([^/]+)/;

/** Why the request is not sent; undefined: it is harmless. */
export function refusalOf(method: string, path: string, body: Uint8Array | undefined): string | undefined {
  if (READS.has(method)) return undefined;
  const [bare = '', query = ''] = path.split('?');
  if (isDry({ method, query, body }) || REVIEWS.test(bare)) return undefined;
  const refused = `${method} ${bare} is not sent: it could touch what the verification did not make`;
  const namespace = IN_NAMESPACE.exec(bare)?.[1];
  if (namespace !== undefined) return isMarked(namespace) ? undefined : refused;
  const name = NAMED.exec(bare)?.[1];
  if (name !== undefined) return isMarked(name) ? undefined : refused;
  return method === 'POST' && isMarked(nameIn(body)) ? undefined : refused;
}

interface Sent {
  readonly method: string;
  readonly query: string;
  readonly body: Uint8Array | undefined;
}

/** Of a deletion the options in its body count alone, whatever the query says. */
function isDry({ method, query, body }: Sent): boolean {
  if (method === 'DELETE' && body !== undefined && body.length > 0) return saysDry(body);
  const said = new URLSearchParams(query).getAll('dryRun');
  return said.length > 0 && said.every((value) => value === 'All');
}

function saysDry(body: Uint8Array): boolean {
  try {
    const options = JSON.parse(new TextDecoder().decode(body)) as { readonly dryRun?: unknown } | null;
    return (
      Array.isArray(options?.dryRun) &&
      options.dryRun.length > 0 &&
      options.dryRun.every((one) => one === 'All')
    );
  } catch {
    return false;
  }
}

const isMarked = (name: string): boolean => name.includes(MARK);

function nameIn(body: Uint8Array | undefined): string {
  if (!body) return '';
  try {
    const { metadata } = JSON.parse(new TextDecoder().decode(body)) as {
      readonly metadata?: { readonly name?: unknown; readonly generateName?: unknown };
    };
    const name = metadata?.name ?? metadata?.generateName;
    return typeof name === 'string' ? name : '';
  } catch {
    return '';
  }
}
