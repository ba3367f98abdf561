/**
 * Lets a large YAML body be read beside everything else, where the surroundings can: reading takes a second for each
 * few hundred kilobytes, and nobody else would be served meanwhile. What is plain, as manifests are, is read here.
 * Only who may do what was asked for comes as far as this.
 */
import { checkValues } from '../../api/codec/value-bound.ts';
import { plainYamlToJson } from '../../api/codec/yaml.ts';
import type { Process } from '../../engine/process.ts';
import { encodingOfBody } from '../representation/negotiate.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ReadYaml } from '../request/read-yaml.ts';
import { boundedText } from '../verbs/bounded-text.ts';
import { bodyBytes, MAX_BODY_BYTES } from '../verbs/read-body.ts';

/** Read in a tenth of a second, whatever it is. */
export const MAX_READ_HERE_BYTES = 16 * 1024;

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function readLargeYaml(exchange: Exchange): Process<void> | undefined {
  const { readYaml } = exchange.server.surroundings;
  const { length } = bodyBytes(exchange);
  if (!readYaml || length <= MAX_READ_HERE_BYTES || length > MAX_BODY_BYTES) return undefined;
  if (!isYaml(exchange.request.headers['content-type'])) return undefined;
  const text = boundedText(UTF8.decode(bodyBytes(exchange)), exchange.routed);
  const plain = plainYamlToJson(text);
  if (!plain) return elsewhere(exchange, readYaml(text));
  checkValues(plain.value);
  exchange.readYaml = { kind: 'value', ...plain };
  return undefined;
}

const isYaml = (contentType: string | undefined): boolean =>
  contentType?.startsWith('application/apply-patch') === true || encodingOfBody(contentType) === 'yaml';

function* elsewhere(exchange: Exchange, reading: Process<ReadYaml>): Process<void> {
  const read = yield* reading;
  if (read.kind === 'refused') throw read.error;
  exchange.readYaml = read;
}
