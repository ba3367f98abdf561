/** The language as it is published: scenario.schema.json for editors, README.md for readers. */
import { MATCHERS } from '../checks/match.ts';
import { checkersText } from './checkers.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { referenceOf } from './reference.ts';
import { propertyDocumentShape } from '../properties/property-shape.ts';
import { HOLES } from '../properties/template.ts';
import { scenarioShape } from './scenario-shape.ts';

export function schemaText(): string {
  return `${JSON.stringify(jsonSchemaOf(scenarioShape, propertyDocumentShape), undefined, 2)}\n`;
}

const INTRODUCTION = `# Scenarios

A scenario is a YAML file that describes a world, what happens in it, and what must hold. \`kubesim run scenarios\`
runs all of them; \`kubesim run scenarios/api/watch-resume.yaml --seed 7 --runs 100\` runs one with a hundred seeds.

Editors check and complete scenarios with \`scenario.schema.json\`; with the YAML language server, put
\`# yaml-language-server: $schema=./scenario.schema.json\` on the first line.

\`\`\`yaml
apiVersion: kubesim.dev/v1
kind: Scenario
metadata: { name: stale-update }
spec:
  steps:
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default } }
      capture: { version: body.metadata.resourceVersion }
    - patch: { kind: ConfigMap, name: a, patch: { data: { n: '1' } } }
    - update: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default, resourceVersion: '\${version}' } }
      expect: { status: 409, body: { reason: Conflict } }
\`\`\`

This page is made by \`kubesim schema --reference\`.

## Variables

\`\${name}\` in any text of a step is replaced when the step runs; \`\${name.path[0]}\` looks inside. A text that is nothing
but one variable becomes its value, whatever its type. Variables come from \`spec.variables\`, \`capture\`, \`set\` and
\`repeat.index\`; \`\${seed}\` and \`\${now}\` are always there. \`$\${\` stands for a plain \`\${\`. Where text is wanted and the value is
a number, \`\${text(j)}\` is the number as text: \`data: { round: '\${text(j)}' }\`.

## Time

Before the first step the cluster comes up: nodes are Ready, namespaces have their service accounts, leaders are elected.
All that happens before time 0, at which the clocks show \`cluster.epoch\`; time lines of reports begin there. With
\`cluster.settled: false\` the first step comes at time 0 of an empty cluster, to test how it comes up.

## Workloads

Without a word a container just runs. The annotation \`behaviour.kubesim.dev/<container>\` of its pod (or \`behaviour.kubesim.dev/*\`)
says in JSON what else it does, such as \`{"runsForSeconds": 30, "exitCode": 1}\`:

- \`runsForSeconds\`: ends by itself after so long, with \`exitCode\` (0).
- \`readyAfterSeconds\`: readiness and startup probes fail until then (0).
- \`failsProbes\`: a list of \`{probe: startup | liveness | readiness, fromSeconds, toSeconds}\`, counted from the start.
- \`stopsAfterSeconds\`: from SIGTERM to its end (0); \`ignoresTerm\`: only SIGKILL ends it.
- \`memoryBytes\` (16 MiB) and \`memoryGrowthBytes\` for each second: over its memory limit it is killed (\`OOMKilled\`), and a node short of memory evicts pods.
- \`diskBytes\` (0), \`processes\` (1), \`cpuMillicores\` (1): what it uses of the node.
- \`postStart\`, \`preStop\`: \`{takesSeconds, fails, exitCode}\` of its lifecycle hooks that are commands or requests.
- \`imageMissing\`: its image cannot be pulled.
- \`logs\`: lines, as texts or \`{text, afterSeconds, everySeconds, stream}\`.
- \`exec\`: answers of commands by their words: \`{"psql -l": {stdout, stderr, exitCode, seconds}}\`; hooks and probes that run such a command have its outcome.
- \`files\`: texts by path, for commands (\`/dev/termination-log\`: its last word in the pod's status); \`memory\`: values that a checkpoint keeps.

## Matching
`;

const PROPERTIES = `## Properties

A document with \`kind: Property\` says what *may* happen instead of what happens: each seed draws one scenario from it, in
which clients do some of its operations in some order, while some of its faults strike and end. All rules watch, and
in the end the cluster must come to rest in the right state. What fails is made as small as it gets, and the report has
it as an ordinary scenario.

\`\`\`yaml
apiVersion: kubesim.dev/v1
kind: Property
metadata: { name: rollouts-end }
spec:
  runs: 20
  cluster: { nodes: { $between: [1, 3] } }
  before:
    - create:
        apiVersion: apps/v1
        kind: Deployment
        metadata: { name: web, namespace: default }
        spec:
          replicas: 2
          selector: { matchLabels: { app: web } }
          template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: 'app:1' }] } }
  generate:
    operations:
      - $weight: 3
        edit: { apiVersion: apps/v1, kind: Deployment, name: web, change: { spec: { replicas: { $between: [0, 4] } } }, retries: 3 }
      - delete: { apiVersion: apps/v1, kind: Deployment, name: web, options: { $maybe: { propagationPolicy: Foreground } } }
    faults: { atMost: 3, lasting: { $between: [1s, 2m] } }
\`\`\`

\`kubesim run\` runs it; \`kubesim run FILE --seed 7 --runs 1000\` draws a thousand. Values may be holes:
`;

export function languageReference(): string {
  const rules = [
    'A mapping matches when all members that are named match; others may be there. A list matches when it is as long and each item matches its counterpart. Anything else matches when it is equal. Instead of a value there may be a matcher:',
    '',
    ...Object.values(MATCHERS).map(({ doc }) => `- ${doc}`),
  ];
  const holes = Object.values(HOLES).map(({ doc }) => `- ${doc}`);
  return `${INTRODUCTION}\n${rules.join('\n')}\n\n## Checkers\n\n${checkersText()}\n\n## Reference\n\n${referenceOf(scenarioShape)}
${PROPERTIES}
${holes.join('\n')}

${referenceOf(propertyDocumentShape, scenarioShape)}`;
}
