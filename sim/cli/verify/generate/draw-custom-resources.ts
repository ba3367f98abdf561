/** The life of one definition of custom resources: its objects, its versions, its change, its end; or many that stay dry. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { JsonObject } from '../../../api/object.ts';
import type { GoldenCase, Step } from '../../../../model/golden/replay/golden-case.ts';
import { drawOddDefinition } from './odd-definitions.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { drawDefinition, drawRoot, drawVersion } from './random-definition.ts';
import { drawUse, FIELD_VALIDATIONS, objectOf, pathOf } from './use-custom-resource.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/widgets.\${unique}.example.com`;
/** A definition that takes no names never comes to be established; one that was refused is not there. */
const PATIENCE_MS = 4000;
const REFUSED = 404;
const SCHEMA_CHANGE_MS = 700;

export function drawCustomResources(random: Random): Pick<GoldenCase, 'steps' | 'cleanup'> {
  if (random.chance(35)) return { steps: Array.from({ length: 4 }, () => dryDefinition(random)) };
  return { steps: lifeOf(random), cleanup: [{ request: { method: 'DELETE', path: DEFINITION } }] };
}

function dryDefinition(random: Random): Step {
  const names = ['v1', 'v2', 'v3beta1'].slice(0, random.chance(70) ? 1 : 2 + random.below(2));
  const drawn = names.map((name) => drawVersion(name, drawRoot(random, 12), random));
  const definition = drawDefinition(random, drawn);
  const body = random.chance(40) ? drawOddDefinition(definition, random) : definition;
  if (random.chance(25))
    mutate(
      body,
      RELEASE_1_31.catalog.types.structOf('apiextensions.k8s.io/v1.CustomResourceDefinition'),
      random,
    );
  const metadata = { name: 'widgets.${unique}.example.com' };
  const query = {
    dryRun: 'All',
    ...(random.chance(20) && { fieldValidation: random.pick(FIELD_VALIDATIONS) }),
  };
  return { request: { method: 'POST', path: DEFINITIONS, query, body: { ...body, metadata } } };
}

const established: Step = {
  request: { method: 'GET', path: DEFINITION },
  repeatUntil: {
    pointer: '/status/conditions/1/status',
    equals: 'True',
    timeoutMs: PATIENCE_MS,
    inVainAt: REFUSED,
  },
};

const served = (versionName: string): Step => ({
  request: { method: 'GET', path: pathOf(versionName), query: { limit: 1 } },
  repeatUntil: { status: 200, timeoutMs: PATIENCE_MS },
});

function lifeOf(random: Random): readonly Step[] {
  const schema = drawRoot(random, 1);
  const versions = [drawVersion('v1', schema, random)];
  const isTwice = random.chance(25);
  if (isTwice) versions.push(drawVersion('v2', drawRoot(random, 1), random));
  const names = isTwice ? ['v1', 'v2'] : ['v1'];
  const uses = (count: number, of: JsonObject): readonly Step[] =>
    Array.from({ length: count }, () => drawUse(of, random.pick(names), random));
  const created = drawDefinition(random, versions);
  const other = drawRoot(random, random.chance(30) ? 5 : 0);
  const change: readonly Step[] = random.chance(35)
    ? [changeOf(other, random), { sleep: SCHEMA_CHANGE_MS }, ...uses(4, other)]
    : [];
  return [
    { request: { method: 'POST', path: DEFINITIONS, body: created } },
    established,
    served('v1'),
    { request: { method: 'POST', path: pathOf('v1'), body: objectOf(schema, 'v1', random, 2) } },
    ...uses(8, schema),
    ...change,
    { request: { method: 'DELETE', path: pathOf('v1', 'x') } },
  ];
}

const changeOf = (schema: JsonObject, random: Random): Step => ({
  request: {
    method: 'PATCH',
    path: DEFINITION,
    contentType: 'application/json-patch+json',
    body: [
      { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schema },
      ...(random.chance(15) ? [{ op: 'replace', path: '/spec/versions/0/name', value: 'v3' }] : []),
    ],
  },
});
