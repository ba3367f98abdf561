/**
 * From a property to an arbitrary of scenarios: the cluster is drawn first, then what clients do, with pauses and faults
 * among it, and at the end all faults are over. Every run mixes other kinds of operations and faults: what is drawn with
 * everything at once, reaches little of anything (swarm testing). The scenarios are plain JSON, as somebody might have written them.
 */
import * as fc from 'fast-check';
import { formatDuration, parseDuration } from '../language/duration.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import { anyFault, FAULT_FAMILIES } from './any-fault.ts';
import type { Generate, PropertyDocument } from './property-shape.ts';
import { exemptBy, restExemptBy } from './rule-sets.ts';
import { arbitraryOf } from './template.ts';

type Step = JsonMap;
type Steps = readonly Step[];

const DEFAULT_PAUSE: Json = { $between: ['0s', '5s'] };
const DEFAULT_LENGTH: Json = { $between: ['1s', '1m'] };
const MOST_OPERATIONS = 20;
const MOST_FAULTS = 3;
/** Pauses come about as often as not. */
const PAUSE_WEIGHT = 2;

export function scenarioArbitrary(property: PropertyDocument): fc.Arbitrary<JsonMap> {
  const { metadata, spec } = property;
  const { description, generate, before = [], always, healing, exempt = [], checkers, rules, twins } = spec;
  return mapping(spec.cluster ?? {}).chain((cluster) =>
    fc
      .record({
        before: steps(before),
        story: storyOf(generate, cluster),
        end: steps(spec.finally ?? defaultEnd(cluster, rules)),
      })
      .map(({ before: first, story, end }): JsonMap => {
        const off = [...new Set<string>([...exempt, ...exemptBy(rules)])];
        return {
          apiVersion: 'kubesim.dev/v1',
          kind: 'Scenario',
          metadata: metadata as object as JsonMap,
          spec: {
            ...(description !== undefined && { description }),
            ...(Object.keys(cluster).length > 0 && { cluster }),
            ...(off.length > 0 && { exempt: off }),
            ...(checkers && { checkers }),
            ...(twins && { twins }),
            ...(always && { always: always as readonly object[] as readonly JsonMap[] }),
            steps: [...first, ...story, ...over(story, healing), ...end],
          },
        };
      }),
  );
}

function defaultEnd(cluster: JsonMap, rules: readonly string[] | undefined): Steps {
  const hasControllers = !(Array.isArray(cluster['controllers']) && cluster['controllers'].length === 0);
  const exempt = restExemptBy(rules);
  return hasControllers && exempt.length === 0 ? [{ settle: { within: '20m' } }] : [{ advance: '40s' }];
}

const mapping = (template: JsonMap): fc.Arbitrary<JsonMap> =>
  arbitraryOf(template).map((drawn) => drawn as JsonMap);

const steps = (templates: Steps): fc.Arbitrary<Steps> =>
  fc.tuple(...templates.map((template) => stepsOf(template))).map((drawn) => drawn.flat());

/** One, or those of `$steps`; none where `$maybe` draws none. */
function stepsOf({ $weight: _, $steps, ...template }: Step): fc.Arbitrary<Steps> {
  if (Array.isArray($steps)) return steps($steps as Steps);
  return arbitraryOf(template).map((step) => (step === undefined ? [] : [step as JsonMap]));
}

function storyOf(generate: Generate, cluster: JsonMap): fc.Arbitrary<Steps> {
  const { atLeast = 1, atMost = MOST_OPERATIONS, pause = DEFAULT_PAUSE } = generate;
  return operationsOf(generate, cluster).chain((operation) =>
    fc
      .record({
        parts: fc.array(
          fc.oneof(
            { weight: PAUSE_WEIGHT, arbitrary: operation },
            {
              weight: 1,
              arbitrary: fc
                .tuple(arbitraryOf(pause), operation)
                .map(([span, act]): Steps => [
                  ...(isNothing(span) ? [] : [{ advance: span as Json }]),
                  ...act,
                ]),
            },
          ),
          { minLength: atLeast, maxLength: Math.max(atLeast, atMost), size: 'max' },
        ),
        faults: faultsOf(generate, cluster),
      })
      .map(({ parts, faults }) => woven(parts, faults)),
  );
}

const isNothing = (span: Json | undefined): boolean => typeof span === 'string' && parseDuration(span) === 0;

/** Of the operations some are left out in each run. */
function operationsOf(generate: Generate, cluster: JsonMap): fc.Arbitrary<fc.Arbitrary<Steps>> {
  const all = generate.operations.map((template) => ({
    weight: typeof template['$weight'] === 'number' ? template['$weight'] : 1,
    arbitrary: asSomebody(stepsOf(template), generate.clients, cluster),
  }));
  return fc
    .shuffledSubarray([...all.keys()], {
      minLength: Math.min(all.length, Math.max(2, Math.ceil(all.length / 3))),
    })
    .map((chosen) => fc.oneof(...all.filter((_, index) => chosen.includes(index))));
}

const SENDING = [
  'create',
  'apply',
  'update',
  'edit',
  'patch',
  'delete',
  'get',
  'list',
  'pages',
  'watch',
  'request',
  'drain',
];

/** Answers may be anything, and whoever asks, asks any server, unless the template says so. */
function asSomebody(
  operation: fc.Arbitrary<Steps>,
  clients: readonly string[] | undefined,
  cluster: JsonMap,
): fc.Arbitrary<Steps> {
  const servers = typeof cluster['apiServers'] === 'number' ? cluster['apiServers'] : 1;
  const client = fc.constantFrom(undefined, ...(clients ?? []));
  const server = fc.nat({ max: servers - 1 });
  return fc.tuple(operation, client, server).map(([drawn, as, number]) => {
    const complete = (step: Step): Step => {
      const { together } = step;
      if (together) return { together: { steps: ((together as JsonMap)['steps'] as Steps).map(complete) } };
      if (!SENDING.some((verb) => step[verb] !== undefined)) return step;
      return {
        ...step,
        ...(as !== undefined && step['as'] === undefined && { as }),
        ...(number > 0 && step['server'] === undefined && { server: `apiserver/${number}` }),
        ...(step['expect'] === undefined && { expect: { answer: 'any' } }),
      };
    };
    return drawn.map(complete);
  });
}

interface PlacedFault {
  /** Of a thousand parts of the story. */
  readonly place: number;
  readonly step: Step;
}

function faultsOf({ faults }: Generate, cluster: JsonMap): fc.Arbitrary<readonly PlacedFault[]> {
  const { atMost = MOST_FAULTS, of = [], lasting = DEFAULT_LENGTH } = faults ?? { atMost: 0 };
  const families = faults?.families ?? (of.length > 0 ? [] : FAULT_FAMILIES);
  const templates: readonly JsonMap[] = [...anyFault(cluster, families), ...of];
  if (atMost === 0 || templates.length === 0) return fc.constant([]);
  return fc.shuffledSubarray([...templates], { minLength: Math.min(templates.length, 2) }).chain((some) =>
    fc.array(
      fc.record({
        place: fc.nat({ max: 1_000 }),
        step: fc
          .tuple(fc.oneof(...some.map(mapping)), arbitraryOf(lasting), fc.nat({ max: 3 }))
          .map(([fault, length, delay]): Step => faultStep(fault, length as Json, delay)),
      }),
      { maxLength: atMost, size: 'max' },
    ),
  );
}

/** Milliseconds: so that it strikes amid what follows. */
const DELAYS = [0, 1, 3, 20];

function faultStep(fault: JsonMap, length: Json, delay: number): Step {
  const later = DELAYS[delay] ?? 0;
  return {
    fault,
    ...(later > 0 && { delay: `${later}ms` }),
    ...(!isInstant(fault) && { for: length }),
  };
}

const INSTANT: ReadonlySet<string> = new Set(['reset', 'endWatches', 'changeStorageLeader']);
const isInstant = (fault: JsonMap): boolean => Object.keys(fault).some((verb) => INSTANT.has(verb));

function woven(parts: readonly Steps[], faults: readonly PlacedFault[]): Steps {
  const inOrder = [...faults].sort((a, b) => a.place - b.place);
  return [
    ...parts.flatMap((part, index) => [
      ...inOrder
        .filter(
          ({ place }) => Math.min(parts.length - 1, Math.floor((place * parts.length) / 1_000)) === index,
        )
        .map(({ step }) => step),
      ...part,
    ]),
  ];
}

/** Time until the last fault is over for sure. */
function over(story: Steps, healing: number | undefined): Steps {
  const lengths = story.map((step) => micros(step['for']) + micros(step['delay']));
  const longest = Math.max(0, ...lengths) + (healing ?? 0);
  return longest === 0 ? [] : [{ name: 'every fault is over', advance: formatDuration(longest) }];
}

const micros = (span: Json | undefined): number =>
  typeof span === 'string' ? (parseDuration(span) ?? 0) : 0;
