/**
 * A file that configures a server: YAML or JSON of one kind of `apiserver.config.k8s.io`, read strictly, with the words
 * of the real server for what it refuses. What the configuration means is for others.
 */
import { append } from '../../api/append.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeJson, decodeYamlValue } from '../../api/codec/decode.ts';
import { goQuote } from '../../api/go-text.ts';
import type { JsonObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import { atOnce } from '../../api/steps.ts';
import { BodyError, type ParsableBody, parseBody } from '../verbs/read-body.ts';
import { authenticationShape, authorizationShape } from './configuration-shapes.ts';

/** It makes no sense; the message is for whoever starts the server. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

const YAML_HEAD = 'yaml: unmarshal errors:\n  ';
const GROUP = 'apiserver.config.k8s.io';
const VERSIONS = ['v1alpha1', 'v1beta1'] as const;

export type ConfigurationKind = 'AuthenticationConfiguration' | 'AuthorizationConfiguration';

const SHAPES: Readonly<Record<ConfigurationKind, ReadonlyMap<string, StructSchema>>> = {
  AuthenticationConfiguration: shapesOf(authenticationShape),
  AuthorizationConfiguration: shapesOf(authorizationShape),
};

function shapesOf(shape: (version: string) => StructSchema): ReadonlyMap<string, StructSchema> {
  return new Map(VERSIONS.map((version) => [`${GROUP}/${version}`, shape(version)]));
}

/** The members as the shape of the kind has them. @throws ConfigurationError */
export function readConfiguration(text: string, wanted: ConfigurationKind): JsonObject {
  try {
    return documentOf(text, wanted);
  } catch (error) {
    if (error instanceof BodyError || error instanceof DecodeError) throw refused(error.message);
    throw error;
  }
}

const refused = (message: string): ConfigurationError => new ConfigurationError(message);

function documentOf(text: string, wanted: ConfigurationKind): JsonObject {
  const body: ParsableBody = /^\s*\{/.test(text)
    ? { kind: 'json', text }
    : { kind: 'yaml', text, read: undefined };
  const { value, type, duplicates } = parseBody(body);
  if (type.kind === '') throw refused(`Object 'Kind' is missing in '${text}'`);
  if (type.apiVersion === '') throw refused(`Object 'apiVersion' is missing in '${text}'`);
  const kind = kindOf(type.kind);
  const schema = kind && SHAPES[kind].get(type.apiVersion);
  if (!schema)
    throw refused(
      `no kind ${goQuote(type.kind)} is registered for version ${goQuote(type.apiVersion)} in scheme "pkg/runtime/scheme.go:100"`,
    );
  const unknown: string[] = [];
  const object =
    body.kind === 'json'
      ? strictly(schema, text, unknown)
      : decodeYamlValue(schema, value, { unknown: (path) => unknown.push(`unknown field "${path}"`) });
  const repeated = duplicates.length > 0 ? [`${YAML_HEAD}${duplicates.join('\n  ')}`] : [];
  const findings = [...(body.kind === 'json' ? [] : repeated), ...unknown];
  if (findings.length > 0) throw refused(`strict decoding error: ${findings.join(', ')}`);
  if (kind !== wanted) throw refused(`expected ${wanted}, got *apiserver.${kind}`);
  return object;
}

function strictly(schema: StructSchema, text: string, unknown: string[]): JsonObject {
  const { object, findings } = atOnce(decodeJson(schema, text, true));
  append(unknown, findings);
  return object;
}

const kindOf = (kind: string): ConfigurationKind | undefined =>
  kind === 'AuthenticationConfiguration' || kind === 'AuthorizationConfiguration' ? kind : undefined;
