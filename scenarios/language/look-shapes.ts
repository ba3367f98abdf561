/** The part of the scenario language that looks: what to ask, and what the answer must look like. */
import { optional, required } from './shape.ts';
import { duration, flag, integer, json, map, struct, text, word } from './shape-builders.ts';

export const kindFields = {
  apiVersion: optional(text('Group and version of the kind, such as `apps/v1`. Default: `v1`.')),
  kind: required(text('Kind of the object, such as `ConfigMap`.')),
  namespace: optional(text('Namespace. Default: `default` for kinds that live in one.')),
};

export const objectFields = { ...kindFields, name: required(text('Name of the object.')) };

export const selectionFields = {
  ...kindFields,
  labelSelector: optional(text('Only objects with such labels: `app=web,tier!=db`.')),
  fieldSelector: optional(text('Only objects with such fields: `metadata.name=a`.')),
  resourceVersion: optional(text('Read or watch from this version on.')),
};

export const getShape = struct({ name: 'Get', doc: 'Reads one object.', fields: objectFields });

export const listShape = struct({
  name: 'List',
  doc: 'Reads objects of a kind, or one page of them.',
  fields: {
    ...selectionFields,
    allNamespaces: optional(flag('Objects of every namespace.')),
    limit: optional(integer('Objects on a page.', 1)),
    continue: optional(text('Token of the page before.')),
    resourceVersionMatch: optional(word('How `resourceVersion` counts.', ['Exact', 'NotOlderThan'])),
  },
});

export const requestShape = struct({
  name: 'Request',
  doc: 'Any HTTP request to the API.',
  fields: {
    method: optional(
      word('HTTP method. Default: GET.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
    ),
    path: required(text('Path, such as `/api/v1/namespaces/default/configmaps`.')),
    node: optional(
      text(
        'Ask the agent of this node, not the API: `/checkpoint/default/web/main`, `/run/default/web/main?cmd=cat /etc/hostname` (with POST), `/stats/summary`. A header `authorization: Bearer …` brings a token instead of a certificate.',
      ),
    ),
    query: optional(map('Query parameters.', text('Value.'))),
    headers: optional(map('Request headers.', text('Value.'))),
    body: optional(json('Body, sent as JSON.')),
  },
});

export const eventsShape = struct({
  name: 'Events',
  doc: 'What a watch has received since the last `events` step on it that held.',
  fields: { stream: required(text('Name of the watch.')) },
});

export const expectShape = struct({
  name: 'Expect',
  doc: 'What the answer must look like. A mapping matches when all its members do; a list when it is as long and each item matches. See "Matching".',
  fields: {
    status: optional(json('HTTP status, or a matcher; 0 when no answer comes. Default: any 2xx.')),
    answer: optional(
      word(
        '`none`: no answer comes, because the connection breaks or a minute goes by. `any`: whatever comes.',
        ['none', 'any'],
      ),
    ),
    headers: optional(map('Response headers by name, in any case.', json('Value or matcher.'))),
    body: optional(json('The object or Status in the answer.')),
    warnings: optional(json('Texts of the `Warning` headers, as a list.')),
    events: optional(json('Events of a watch: a list of `{type, object}`.')),
    ended: optional(flag('Whether the server has ended the watch.')),
    cel: optional(
      text(
        'An expression in the Common Expression Language that has to be true: `body.items.all(pod, has(pod.spec.nodeName))`. It knows `status`, `headers`, `body`, `warnings`, `events` and `ended`.',
      ),
    ),
  },
});

const probeFields = {
  get: optional(getShape),
  list: optional(listShape),
  request: optional(requestShape),
  events: optional(eventsShape),
};
const PROBES = ['get', 'list', 'request', 'events'] as const;

export const serverField = optional(
  text('Which API server is asked, such as `apiserver/1`. Default: the first.'),
);

const probeRest = {
  server: serverField,
  as: optional(text('Who asks. Default: an administrator.')),
  expect: optional(expectShape),
};

export const eventuallyShape = struct({
  name: 'Eventually',
  doc: 'Asks again and again until the expectation holds; fails when it has not by then.',
  verbs: PROBES,
  verbWord: 'verb',
  fields: {
    within: required(duration('Virtual time that it may take.')),
    every: optional(duration('Time between two looks. Default: 1s.')),
    ...probeFields,
    ...probeRest,
  },
});

export const alwaysShape = struct({
  name: 'Always',
  doc: 'For a while, from this step on: asks again and again; fails at the first look at which the expectation does not hold. What must hold throughout the run stands in `spec.always`, which is a list and has no `for`.',
  hints: {
    for: 'the step `always` lasts for a while; what holds throughout the run stands in `spec.always`',
    name: 'a step has its name beside `always`',
  },
  verbs: PROBES,
  verbWord: 'verb',
  fields: {
    for: required(duration('Virtual time over which it must hold.')),
    every: optional(duration('Time between two looks. Default: 1s.')),
    ...probeFields,
    ...probeRest,
  },
});

export const propertyShape = struct({
  name: 'Property',
  doc: 'Must hold throughout the run: after every step, and every second while time is advanced. What must hold for a while only is the step `always`, with `for`.',
  hints: {
    for: 'what stands in `spec.always` holds throughout the run; for a while, use the step `always`',
    name: 'each property of `spec.always` says in words what holds',
  },
  verbs: PROBES,
  verbWord: 'verb',
  fields: { name: required(text('What holds, in words.')), ...probeFields, ...probeRest },
});
