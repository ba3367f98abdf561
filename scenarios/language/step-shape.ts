/** The part of the scenario language that says what happens, one step after the other. */
import { REST_RULES } from '../../model/rest/rest-rules.ts';
import { faultShape } from './fault-shape.ts';
import { webhookStepShape } from './webhook-shape.ts';
import {
  alwaysShape,
  eventsShape,
  eventuallyShape,
  expectShape,
  getShape,
  listShape,
  objectFields,
  requestShape,
  selectionFields,
  serverField,
} from './look-shapes.ts';
import { optional, required, type StructShape } from './shape.ts';
import {
  duration,
  flag,
  integer,
  json,
  list,
  map,
  mapping,
  struct,
  text,
  VARIABLE_NAME,
  word,
} from './shape-builders.ts';

const repeatShape = struct({
  name: 'Repeat',
  doc: 'Does steps several times.',
  fields: {
    times: required(integer('How often.', 1, 100_000)),
    index: optional({ ...text('Variable that counts the rounds, from 0.'), pattern: VARIABLE_NAME }),
    steps: required(
      list('What to do.', { kind: 'later', doc: 'A step.', shape: (): StructShape => stepShape } as const),
    ),
  },
});

const restoreShape = struct({
  name: 'Restore',
  doc: 'Carries a checkpoint to another machine: the next container of that name, in a pod of that name, goes on from it there. The answer is 200; 404 without such an archive or node; 422 when the archive is damaged.',
  fields: {
    archive: required(text('Path of the archive, as the answer of the checkpoint endpoint has it.')),
    from: required(text('Node that made the checkpoint, such as `worker-1`.')),
    onto: required(text('Node on which the container is to go on.')),
    namespace: optional(text('Namespace of the pod. Default: `default`.')),
    pod: required(text('Name of the pod; it is created afterwards.')),
    container: required(text('Name of the container.')),
  },
});

const editShape = struct({
  name: 'Edit',
  doc: 'Reads an object, changes it and writes the whole of it back with the version that it was read at, as `kubectl edit` and most controllers do. The answer is that of the last write.',
  fields: {
    ...objectFields,
    change: required(json('What to change: a merge patch, applied by whoever edits.')),
    from: optional(
      word(
        'What the change is made to: the object as it is now, or as whoever asks (`as`) has last seen it, which may be long ago. Default: server.',
        ['server', 'memory'],
      ),
    ),
    retries: optional(
      integer(
        'After a conflict, or when no answer comes: reads anew and tries again, so often. Default: 0.',
        0,
        100,
      ),
    ),
  },
});

const pagesShape = struct({
  name: 'Pages',
  doc: 'Lists a kind page by page to the end, while other steps happen between the pages. A token that is too old is given up, and the pages go on with the one that the server offers instead.',
  fields: {
    ...selectionFields,
    allNamespaces: optional(flag('Objects of every namespace.')),
    limit: required(integer('Objects on a page.', 1)),
    between: optional(
      list('Steps, one after each page, as long as there are pages.', {
        kind: 'later',
        doc: 'A step.',
        shape: (): StructShape => stepShape,
      } as const),
    ),
  },
});

const togetherShape = struct({
  name: 'Together',
  doc: 'Sends several requests at the same instant, and waits for all the answers.',
  fields: {
    steps: required(
      list('What to ask: steps that are one request each.', {
        kind: 'later',
        doc: 'A step.',
        shape: (): StructShape => stepShape,
      } as const),
    ),
  },
});

const drainShape = struct({
  name: 'Drain',
  doc: 'Cordons a node and asks once for the eviction of each of its pods, but not of those of DaemonSets. What budgets refuse stays.',
  fields: { node: required(text('Name of the node.')) },
});

const releaseFields = {
  release: required(text('Such as `1.32`.')),
  actors: optional(
    list(
      'Who is replaced, in this order. Default: all API servers.',
      text('Such as `apiserver/0`, or `node/*` for all agents.'),
    ),
  ),
  pause: optional(duration('Time between one and the next, and after the last. Default: 10s.')),
} as const;

const upgradeShape = struct({
  name: 'Upgrade',
  doc: 'Another release over the same storage, rolling: one after the other goes down and comes back as it, so that two releases serve at once meanwhile.',
  fields: releaseFields,
});

const downgradeShape = struct({
  name: 'Downgrade',
  doc: 'The same, back to an older release.',
  fields: releaseFields,
});

const migrateStorageShape = struct({
  name: 'MigrateStorage',
  doc: 'Writes every object anew that is stored in another version than the API server stores.',
  fields: { server: optional(text('API server that does it. Default: the first that runs.')) },
});

const settleShape = struct({
  name: 'Settle',
  doc: 'The cluster must come to rest in the right state: all that is asked for is there and says so, and nobody writes any more but heartbeats. What is right is listed under "Rest".',
  fields: {
    within: optional(duration('Virtual time that it may take. Default: 15m.')),
    exempt: optional(list('Rules of rest that do not count here.', word('A rule of rest.', REST_RULES))),
  },
});

export const STEP_VERBS = [
  'request',
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
  'events',
  'stop',
  'advance',
  'fault',
  'eventually',
  'always',
  'repeat',
  'together',
  'drain',
  'settle',
  'restore',
  'webhook',
  'upgrade',
  'downgrade',
  'migrateStorage',
  'set',
] as const;

export const stepShape = struct({
  name: 'Step',
  doc: 'One thing that happens. It has exactly one verb; the answer can be checked and captured beside it.',
  verbs: STEP_VERBS,
  verbWord: 'verb',
  fields: {
    name: optional(text('What the step is for, in words.')),
    request: optional(requestShape),
    create: optional(
      mapping(
        'Manifest of an object to create. Fields that there are not are refused, here and in `apply`, `update` and `patch`; `query: { fieldValidation: Ignore }` lets them be.',
      ),
    ),
    apply: optional(mapping("Manifest to apply on the server's side.")),
    update: optional(mapping('Manifest that replaces an object.')),
    edit: optional(editShape),
    patch: optional(
      struct({
        name: 'Patch',
        doc: 'Changes parts of an object.',
        fields: {
          ...objectFields,
          type: optional(word('How `patch` is meant. Default: merge.', ['merge', 'strategic', 'json'])),
          patch: required(json('The patch.')),
        },
      }),
    ),
    delete: optional(
      struct({
        name: 'Delete',
        doc: 'Deletes an object.',
        fields: {
          ...objectFields,
          options: optional(
            mapping('`DeleteOptions`: gracePeriodSeconds, propagationPolicy, preconditions.'),
          ),
        },
      }),
    ),
    get: optional(getShape),
    list: optional(listShape),
    pages: optional(pagesShape),
    watch: optional(
      struct({
        name: 'Watch',
        doc: 'Opens a watch that goes on in the background; `events` reads it, `stop` closes it.',
        fields: {
          stream: required({ ...text('Name of the watch.'), pattern: VARIABLE_NAME }),
          ...selectionFields,
          allNamespaces: optional(flag('Objects of every namespace.')),
          bookmarks: optional(flag('Ask for bookmarks.')),
        },
      }),
    ),
    events: optional(eventsShape),
    stop: optional(text('Name of a watch to close.')),
    advance: optional(duration('Lets so much virtual time go by.')),
    fault: optional(faultShape),
    eventually: optional(eventuallyShape),
    always: optional(alwaysShape),
    repeat: optional(repeatShape),
    together: optional(togetherShape),
    drain: optional(drainShape),
    settle: optional(settleShape),
    restore: optional(restoreShape),
    webhook: optional(webhookStepShape),
    upgrade: optional(upgradeShape),
    downgrade: optional(downgradeShape),
    migrateStorage: optional(migrateStorageShape),
    set: optional(map('Gives variables new values.', json('Value.'))),
    delay: optional(
      duration('The fault strikes so much later, while the following steps go on. Default: at once.'),
    ),
    for: optional(
      duration(
        'The fault ends by itself after so long: its opposite is done, as far as there is still something to undo. Default: it lasts until a step undoes it.',
      ),
    ),
    server: serverField,
    as: optional(text('Who asks. Default: an administrator.')),
    subresource: optional(text('Subresource that the verb is about, such as `status`.')),
    query: optional(map('Further query parameters, such as `fieldManager` or `dryRun`.', text('Value.'))),
    headers: optional(map('Further request headers, such as `accept`.', text('Value.'))),
    expect: optional(expectShape),
    capture: optional(
      map(
        'Variables to fill from the answer: paths such as `body.metadata.resourceVersion`, `headers.etag`, `events[0].object`.',
        text('Path into the answer.'),
      ),
    ),
  },
});
