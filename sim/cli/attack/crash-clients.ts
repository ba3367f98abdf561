/** Clients of a server that may end at any moment: writers with keys of their own, and one who watches. */
import type { Draw } from '../../host/data-directory/simulated-file.ts';
import type { CrashModel } from './crash-model.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const KEYS_PER_WRITER = 5;
const MAX_PADDING = 3_000;
const SERVER_ERROR = 500;

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly value?: string };
}

export interface Written {
  acknowledged: number;
  refused: number;
  unanswered: number;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Undefined: the server did not answer. */
async function ask(url: string, method: string, body?: object): Promise<Answer | undefined> {
  try {
    const answer = await fetch(url, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return undefined;
  }
}

export interface WriterOptions {
  readonly url: string;
  readonly name: string;
  readonly model: CrashModel;
  readonly draw: Draw;
  readonly written: Written;
}

let values = 0;

/** Writes until the server is gone. @throws Error where an answer makes no sense */
export async function writeUntilItEnds(options: WriterOptions): Promise<void> {
  for (;;) {
    if (!(await writeOnce(options))) return;
  }
}

async function writeOnce({ url, name, model, draw, written }: WriterOptions): Promise<boolean> {
  const key = `${name}-${draw(KEYS_PER_WRITER)}`;
  const present = model.present(key);
  if (present === 'unsure') return false;
  const exists = present.value !== undefined;
  const value = exists && draw(4) === 0 ? undefined : `v${(values += 1)}`;
  const method = !exists ? 'POST' : value === undefined ? 'DELETE' : 'PUT';
  const object = { metadata: { name: key }, data: { value, padding: 'x'.repeat(draw(MAX_PADDING)) } };
  const target = `${url}${CONFIG_MAPS}${exists ? `/${key}` : ''}`;
  const answer = await ask(target, method, value === undefined ? undefined : object);
  if (!answer) {
    model.unanswered(key, value);
    written.unanswered += 1;
    return false;
  }
  if (answer.status >= SERVER_ERROR) {
    model.refused(value);
    written.refused += 1;
    return true;
  }
  if (answer.status >= 300)
    throw new Error(`${method} ${key}: ${answer.status} ${JSON.stringify(answer.body)}`);
  model.acknowledged(key, value);
  written.acknowledged += 1;
  if (value !== undefined) model.saw(key, value, (answer.body as ConfigMap).metadata.resourceVersion);
  return true;
}

/** Notes everything that a watch says until the server is gone. */
export async function watchUntilItEnds(url: string, model: CrashModel): Promise<void> {
  try {
    const answer = await fetch(`${url}${CONFIG_MAPS}?watch=true`);
    let rest = '';
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) {
      const lines = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) note(model, JSON.parse(line) as { type: string; object: ConfigMap });
    }
  } catch {
    return;
  }
}

function note(
  model: CrashModel,
  { type, object }: { readonly type: string; readonly object: ConfigMap },
): void {
  const { name, resourceVersion } = object.metadata;
  if (type === 'DELETED') model.saw(name, undefined, resourceVersion);
  else if (type === 'ADDED' || type === 'MODIFIED') model.saw(name, object.data?.value, resourceVersion);
}

/** Reads everything, and checks it. */
export async function checkAfterRestart(url: string, model: CrashModel): Promise<boolean> {
  const answer = await ask(`${url}${CONFIG_MAPS}`, 'GET');
  if (answer?.status !== 200) return false;
  const list = answer.body as { metadata: { resourceVersion: string }; items: readonly ConfigMap[] };
  const items = list.items.filter(({ data }) => data?.value !== undefined);
  for (const { metadata, data } of items) model.saw(metadata.name, data?.value, metadata.resourceVersion);
  model.restarted(
    new Map(items.map(({ metadata, data }) => [metadata.name, data?.value ?? ''])),
    list.metadata.resourceVersion,
  );
  return true;
}
