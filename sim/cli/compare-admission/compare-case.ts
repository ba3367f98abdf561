/** One case at both servers, one after the other; what is chance or time in what they say is taken out. */
import { type AdmissionCase, type AskedRequest, GROUP, NAMESPACE } from './draw-case.ts';
import type { ScriptedWebhook } from './scripted-webhook.ts';
import type { Side } from './side.ts';
import { answerText, apart, steady } from './steady-text.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const RESOURCES = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'] as const;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Until a configuration acts. */
const SETTLE_MS = 300;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const version = (name: string): object => ({
  name,
  served: true,
  storage: name === 'v1',
  subresources: { status: {} },
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});

/** What the requests are about. */
export async function prepare(side: Side): Promise<void> {
  // Of a comparison that was broken off.
  for (const resource of RESOURCES)
    await side.ask({ method: 'DELETE', path: `${CONFIGURATIONS}/${resource}/compared` });
  await side.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  await side.ask({
    method: 'POST',
    path: DEFINITIONS,
    body: {
      metadata: { name: `widgets.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [version('v1'), version('v2')],
      },
    },
  });
  await sleep(1_500);
}

interface Comparison {
  readonly number: number;
  readonly drawn: AdmissionCase;
  readonly sides: readonly Side[];
  readonly hook: ScriptedWebhook;
}

/** Lines that tell what differs. */
export async function compareCase(comparison: Comparison): Promise<readonly string[]> {
  const { drawn, sides } = comparison;
  const [wanted = [], got = []] = await Promise.all(sides.map((side) => told(comparison, side)));
  const differences = wanted.flatMap((text, index) =>
    text === got[index] ? [] : [`  ${titles(drawn)[index]}\n${apart(text, got[index] ?? '')}`],
  );
  if (differences.length === 0) return [];
  const shown = drawn.webhooks.map((webhook) => {
    const answers = JSON.stringify(drawn.scripts.get(webhook.name)).slice(0, 600);
    return `  ${JSON.stringify(webhook)}\n    ${answers}`;
  });
  return [...shown, ...differences];
}

const titles = ({ requests }: AdmissionCase): readonly string[] => [
  'configuration',
  ...requests.flatMap(({ method, path }) => [`${method} ${path}`, `asked by ${method} ${path}`]),
];

async function told(comparison: Comparison, side: Side): Promise<readonly string[]> {
  const { number, drawn, hook } = comparison;
  const place = `${side.name}/${number}`;
  hook.script(place, drawn.scripts);
  const resource = RESOURCES[drawn.isMutating ? 0 : 1];
  const path = `${CONFIGURATIONS}/${resource}`;
  const webhooks = drawn.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { url: `${hook.url}/${place}/${webhook.name}`, caBundle: btoa(hook.certificate) },
  }));
  const body = { metadata: { name: 'compared' }, webhooks };
  const { status } = await side.ask({ method: 'POST', path, body });
  await sleep(SETTLE_MS);
  const lines = [`${status}`];
  for (const request of drawn.requests) {
    lines.push(answerText(await side.ask(request)));
    lines.push(hook.take(place).map(askedText).sort().join('\n          '));
  }
  await side.ask({ method: 'DELETE', path: `${path}/compared` });
  await sleep(SETTLE_MS);
  for (const rest of leftOver(drawn.requests)) await side.ask(rest);
  return lines.map((line) => line.replaceAll(`/${side.name}/`, '/SIDE/'));
}

/** Whatever is still there, also what a webhook wanted to keep. */
function leftOver(requests: readonly AskedRequest[]): readonly AskedRequest[] {
  const paths = new Set(
    requests.flatMap(({ method, path, body }) => {
      const [collection = ''] = path.split('?');
      const { metadata } = (body ?? {}) as { readonly metadata?: { readonly name?: string } };
      return method === 'POST' && metadata?.name !== undefined ? [`${collection}/${metadata.name}`] : [];
    }),
  );
  return [...paths].flatMap((path) => [
    {
      method: 'PATCH',
      path,
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    },
    { method: 'DELETE', path },
  ]);
}

const askedText = (line: string): string => {
  const [hook = '', query = '', ...rest] = line.split(' ');
  return `${hook} ${query} ${steady(rest.join(' '))}`;
};
