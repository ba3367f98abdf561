/**
 * How the converter of Kubernetes' test image (`agnhost crd-conversion-webhook`) brings its example from one version to
 * the other: `hostPort` of v1 is `host` and `port` of v2. Pure. Kubernetes 1.31: test/images/agnhost/crd-conversion-webhook.
 */
import { goQuote } from '../../../api/go-text.ts';

const GROUP = 'stable.example.com';
const FIRST = `${GROUP}/v1`;
const SECOND = `${GROUP}/v2`;

export interface ConversionRequest {
  readonly desiredAPIVersion: string;
  readonly objects?: readonly ConvertedObject[];
}

type ConvertedObject = Readonly<Record<string, unknown>>;

/** `convertedObjects` and `result` of the answer: all of them, or why not. */
export function conversionOf({ desiredAPIVersion, objects = [] }: ConversionRequest): object {
  const convertedObjects: ConvertedObject[] = [];
  for (const object of objects) {
    const converted = convert(object, desiredAPIVersion);
    if (typeof converted === 'string')
      return { convertedObjects: null, result: { metadata: {}, status: 'Failure', message: converted } };
    convertedObjects.push({ ...converted, apiVersion: desiredAPIVersion });
  }
  return { convertedObjects, result: { metadata: {}, status: 'Success' } };
}

/** A text says what is wrong. */
function convert(object: ConvertedObject, to: string): ConvertedObject | string {
  const from = textOf(object['apiVersion']);
  if (from === to) return `conversion from a version to itself should not call the webhook: ${to}`;
  if (from !== FIRST && from !== SECOND) return `unexpected conversion version ${goQuote(from)}`;
  if (to !== FIRST && to !== SECOND) return `unexpected conversion version ${goQuote(to)}`;
  return from === FIRST ? split(object) : joined(object);
}

function split({ hostPort, ...rest }: ConvertedObject): ConvertedObject | string {
  if (hostPort === undefined) return rest;
  const text = textOf(hostPort);
  const parts = text.split(':');
  const [host, port] = parts;
  return parts.length === 2 ? { ...rest, host, port } : `invalid hostPort value \`${text}\``;
}

function joined({ host, port, ...rest }: ConvertedObject): ConvertedObject {
  if (host === undefined && port === undefined) return rest;
  return { ...rest, hostPort: `${textOf(host)}:${textOf(port)}` };
}

/** Its schema allows nothing but texts. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
