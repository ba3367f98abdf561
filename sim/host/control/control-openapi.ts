/** The description of the control path in OpenAPI 3. */
import { REFUSALS, REQUEST_VERBS } from '../../cluster/request-faults.ts';

interface JsonContent {
  readonly 'application/json': { readonly schema: object };
}
interface JsonBody {
  readonly required: boolean;
  readonly content: JsonContent;
}
interface QueryParameter {
  readonly name: string;
  readonly in: 'query';
  readonly description: string;
  readonly required: boolean;
  readonly schema: object;
}

const json = (schema: object): JsonContent => ({ 'application/json': { schema } });
const answer = (description: string, schema: object): object => ({
  '200': { description, content: json(schema) },
  '400': {
    description: 'The request makes no sense.',
    content: json({ $ref: '#/components/schemas/Failure' }),
  },
  '403': {
    description: 'Only system:masters may steer the world.',
    content: json({ $ref: '#/components/schemas/Failure' }),
  },
});
const inQuery = (name: string, description: string, required: boolean): QueryParameter => ({
  name,
  in: 'query',
  description,
  required,
  schema: { type: 'string' },
});
const actorNames = (description: string): object => ({
  type: 'array',
  items: { type: 'string' },
  description: `${description} Such as worker-1 or controller/node-lifecycle.`,
});
const lagsBy = (description: string): object => ({
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 0 },
  description: `${description} Milliseconds; who is left out is in time.`,
});
const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const bodyOf = (name: string): JsonBody => ({ required: true, content: json(refer(name)) });

export const CONTROL_OPENAPI = {
  openapi: '3.0.3',
  info: {
    title: 'kubesim control',
    version: 'v1',
    description: 'Steers time and failures of a served world and looks into it.',
  },
  paths: {
    '/kubesim/v1/clock': {
      get: {
        operationId: 'getClock',
        summary: 'What time it is.',
        responses: answer('The clock.', refer('Clock')),
      },
      post: {
        operationId: 'steerClock',
        summary:
          'Lets time go by, or sets its speed. Everything that is due has happened when the answer comes. Others are served while much time goes by; who hangs up gives the rest of it up.',
        requestBody: bodyOf('ClockChange'),
        responses: answer('The clock afterwards.', refer('Clock')),
      },
    },
    '/kubesim/v1/state': {
      get: {
        operationId: 'getState',
        summary: 'What there is.',
        responses: answer('The state.', refer('State')),
      },
    },
    '/kubesim/v1/faults': {
      get: {
        operationId: 'getFaults',
        summary: 'What fails at present.',
        responses: answer('The faults.', refer('Faults')),
      },
      put: {
        operationId: 'setFaults',
        summary: 'What fails from now on; what is left out is healed.',
        requestBody: bodyOf('Faults'),
        responses: answer('The faults afterwards.', refer('Faults')),
      },
    },
    '/kubesim/v1/storage/leader': {
      post: {
        operationId: 'changeStorageLeader',
        summary:
          'The members of the storage (--storage-members) choose another leader, and take no writes meanwhile.',
        requestBody: { required: false, content: json(refer('LeaderChange')) },
        responses: answer('The faults, as they are.', refer('Faults')),
      },
    },
    '/kubesim/v1/restart': {
      post: {
        operationId: 'restart',
        summary: 'An actor ends and starts anew; an API server other than the first with other settings.',
        requestBody: bodyOf('Restart'),
        responses: answer('The faults, as they are.', refer('Faults')),
      },
    },
    '/kubesim/v1/restore': {
      post: {
        operationId: 'restore',
        summary:
          'Carries a checkpoint to another node: the next container of that name, in a pod of that name, goes on from it there.',
        requestBody: bodyOf('Restore'),
        responses: answer('Which container goes on.', refer('Restored')),
      },
    },
    '/kubesim/v1/files': {
      get: {
        operationId: 'listFiles',
        summary: 'Which files are on the simulated disk of a node.',
        parameters: [
          inQuery('node', 'Name of the node.', true),
          inQuery('below', 'Only files below this directory.', false),
        ],
        responses: answer('The files.', refer('Files')),
      },
    },
    '/kubesim/v1/file': {
      get: {
        operationId: 'readFile',
        summary: 'What is in a file on the simulated disk of a node, such as the archive of a checkpoint.',
        parameters: [inQuery('node', 'Name of the node.', true), inQuery('path', 'Path of the file.', true)],
        responses: {
          ...answer('The file.', {}),
          '200': {
            description: 'The file.',
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
        },
      },
    },
    '/kubesim/v1/clients': {
      get: {
        operationId: 'listClients',
        summary: 'Who has asked anything: users with their user agents.',
        responses: answer('The clients.', refer('Clients')),
      },
    },
    '/kubesim/v1/record': {
      get: {
        operationId: 'getRecord',
        summary: 'What clients have asked, what that came to, and what they heard of their watches.',
        parameters: [
          inQuery('user', 'Only of this user.', false),
          inQuery('userAgent', 'Only of this user agent; NAME* for all that begin so.', false),
          inQuery('tail', 'How many entries; default 100.', false),
        ],
        responses: answer('The record.', refer('Items')),
      },
    },
    '/kubesim/v1/scenario': {
      get: {
        operationId: 'freezeScenario',
        summary: 'What clients have asked, as a scenario that asks it again.',
        parameters: [
          inQuery('user', 'Only of this user.', false),
          inQuery('userAgent', 'Only of this user agent; NAME* for all that begin so.', false),
        ],
        responses: answer('A document that `kubesim run` takes.', { type: 'object' }),
      },
    },
    '/kubesim/v1/watches': {
      get: {
        operationId: 'getWatchRules',
        summary: 'What clients do not hear of their watches, or hear late.',
        responses: answer('The rules.', refer('WatchRules')),
      },
      put: {
        operationId: 'setWatchRules',
        summary: 'Other rules; what was held by one that is left out is released.',
        requestBody: bodyOf('WatchRules'),
        responses: answer('The rules afterwards.', refer('WatchRules')),
      },
    },
    '/kubesim/v1/watches/end': {
      post: {
        operationId: 'endWatches',
        summary: 'Ends watches, as the server does when they get old.',
        requestBody: bodyOf('WatchSelection'),
        responses: answer('How many there were.', {
          type: 'object',
          properties: { ended: { type: 'integer' } },
        }),
      },
    },
    '/kubesim/v1/snapshots': {
      get: {
        operationId: 'listSnapshots',
        summary: 'What was kept.',
        responses: answer('The snapshots.', refer('Items')),
      },
      post: {
        operationId: 'freeze',
        summary: 'Keeps what is stored now, for `reset` and for other clusters.',
        requestBody: bodyOf('Named'),
        responses: answer('The snapshots afterwards.', refer('Items')),
      },
      delete: {
        operationId: 'forgetSnapshot',
        summary: 'Forgets a snapshot.',
        parameters: [inQuery('name', 'Of the snapshot.', true)],
        responses: answer('The snapshots afterwards.', refer('Items')),
      },
    },
    '/kubesim/v1/clusters': {
      get: {
        operationId: 'listClusters',
        summary:
          'Clusters beside the one of the port, each below /clusters/NAME/, this control path included.',
        responses: answer('Their names.', refer('Items')),
      },
      post: {
        operationId: 'createCluster',
        summary: 'Another cluster with the settings of the start.',
        requestBody: bodyOf('NewCluster'),
        responses: answer('The names afterwards.', refer('Items')),
      },
      delete: {
        operationId: 'deleteCluster',
        summary: 'Ends a cluster.',
        parameters: [inQuery('name', 'Of the cluster.', true)],
        responses: answer('The names afterwards.', refer('Items')),
      },
    },
    '/kubesim/v1/reset': {
      post: {
        operationId: 'reset',
        summary:
          'A new world with the settings of the start, or with what a snapshot has kept; all watches end.',
        requestBody: { required: false, content: json(refer('WorldStart')) },
        responses: answer('The state of the new world.', refer('State')),
      },
    },
    '/kubesim/v1/trace': {
      get: {
        operationId: 'getTrace',
        summary: 'The last records of what has happened.',
        parameters: [
          {
            name: 'tail',
            in: 'query',
            description: 'How many records.',
            schema: { type: 'integer', minimum: 0, default: 100 },
          },
        ],
        responses: answer('The trace.', refer('Trace')),
      },
    },
    '/kubesim/v1/choices': {
      get: {
        operationId: 'getChoices',
        summary: 'Answers of chance that differ from the default: with the seed they replay the run.',
        responses: answer('The choice log.', refer('Choices')),
      },
    },
  },
  components: {
    schemas: {
      Failure: { type: 'object', properties: { message: { type: 'string' } } },
      Items: { type: 'object', properties: { items: { type: 'array', items: {} } } },
      Named: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      WorldStart: {
        type: 'object',
        properties: {
          seed: { type: 'integer' },
          snapshot: { type: 'string', description: 'Name of a snapshot.' },
        },
      },
      NewCluster: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'A DNS label.' },
          seed: { type: 'integer' },
          snapshot: { type: 'string', description: 'Name of a snapshot.' },
        },
      },
      Clients: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                user: { type: 'string' },
                userAgent: { type: 'string' },
                entries: { type: 'integer' },
              },
            },
          },
        },
      },
      WatchSelection: {
        type: 'object',
        properties: {
          user: { type: 'string' },
          userAgent: { type: 'string', description: 'NAME* for all that begin so.' },
          resource: { type: 'string', description: 'Plural, such as pods.' },
          expired: { type: 'boolean', description: 'The client has to list anew.' },
        },
      },
      WatchRules: {
        type: 'object',
        properties: {
          rules: {
            type: 'array',
            items: {
              type: 'object',
              required: ['kind'],
              properties: {
                kind: { type: 'string', enum: ['hold', 'delay', 'drop'] },
                user: { type: 'string' },
                userAgent: { type: 'string', description: 'NAME* for all that begin so.' },
                resource: { type: 'string', description: 'Plural, such as pods.' },
                namespace: { type: 'string', description: 'Of the object.' },
                name: { type: 'string', description: 'Of the object.' },
                type: { type: 'string', description: 'Such as DELETED.' },
                delayMs: { type: 'integer', minimum: 0, description: 'Of delay: virtual milliseconds.' },
                after: { type: 'integer', minimum: 0, description: 'Of drop: so many pass before.' },
                count: { type: 'integer', minimum: 0, description: 'Of drop: so many are dropped.' },
              },
            },
          },
        },
      },
      Clock: {
        type: 'object',
        properties: {
          now: { type: 'string', format: 'date-time' },
          elapsedMicros: { type: 'integer', description: 'Virtual microseconds since the world began.' },
          speed: {
            oneOf: [{ type: 'number' }, { const: 'auto' }],
            description:
              'Virtual seconds for each real one; 0: time stands still; auto: in jumps, while all clients are still.',
          },
        },
      },
      ClockChange: {
        type: 'object',
        properties: {
          advance: {
            description: 'How much time goes by: a duration such as "90s", or milliseconds.',
            oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
          },
          speed: { oneOf: [{ type: 'number', minimum: 0 }, { const: 'auto' }] },
        },
      },
      State: {
        type: 'object',
        properties: {
          seed: { type: 'integer' },
          revision: { type: 'integer' },
          compactedRevision: { type: 'integer' },
          pendingEvents: { type: 'integer' },
          actors: { type: 'array', items: { type: 'string' } },
          nodes: {
            type: 'object',
            additionalProperties: { type: 'string' },
            description: 'Real addresses of node agents, with --kubelet-ports.',
          },
          objects: {
            type: 'object',
            additionalProperties: { type: 'integer' },
            description: 'Objects by resource.',
          },
        },
      },
      Faults: {
        type: 'object',
        properties: {
          failingChecks: {
            type: 'array',
            items: { type: 'string' },
            description: 'Names of health checks, as /readyz?verbose tells them.',
          },
          watchCacheLagMs: {
            type: 'integer',
            minimum: 0,
            description: 'How late events reach the watch caches of servers that serverLagMs does not name.',
          },
          serverLagMs: lagsBy('How late events reach the watch cache of a server, such as apiserver/1.'),
          memberLagMs: lagsBy(
            'How late a member of the storage, such as etcd/1, tells the caches of its servers; they begin with what it knows.',
          ),
          routes: {
            type: 'array',
            items: refer('ServerRoute'),
            description:
              'Clients that another server than the first answers; the first route that fits decides.',
          },
          crashed: actorNames('Actors whose program has ended; whoever is left out is restarted.'),
          paused: actorNames('Actors that stall; whoever is left out goes on.'),
          partitioned: actorNames('Actors that nobody else reaches; whoever is left out is healed.'),
          machines: {
            type: 'object',
            additionalProperties: refer('MachineFaults'),
            description:
              'What is wrong with machines, by the name of the node; whoever is left out is whole.',
          },
          requests: {
            type: 'array',
            items: refer('RequestFault'),
            description:
              'Requests that come to grief; one that is left out is ended, one that stays goes on counting.',
          },
        },
      },
      ServerRoute: {
        type: 'object',
        required: ['server'],
        properties: {
          user: { type: 'string' },
          userAgent: { type: 'string', description: 'NAME* for all that begin so.' },
          server: { type: 'string', description: 'Such as apiserver/1, with --api-servers.' },
        },
      },
      RequestFault: {
        type: 'object',
        required: ['kind'],
        properties: {
          kind: {
            type: 'string',
            enum: ['fail', 'loseAnswer', 'crashBefore', 'crashAfter'],
            description:
              'Refused; done and not answered; who asks crashes before it is done, or once it is done.',
          },
          verb: {
            oneOf: [
              { type: 'string', enum: REQUEST_VERBS },
              { type: 'array', items: { type: 'string', enum: REQUEST_VERBS } },
            ],
          },
          resource: { type: 'string', description: 'Plural, such as leases.' },
          subresource: { type: 'string', description: 'Such as status; "" for the object itself.' },
          namespace: { type: 'string' },
          name: { type: 'string' },
          user: {
            type: 'string',
            description: 'Who asks, such as system:node:worker-1, or all that begin alike, system:node:*.',
          },
          actor: { type: 'string', description: 'Such as controller-manager/0.' },
          server: { type: 'string', description: 'Such as apiserver/0.' },
          userAgent: {
            type: 'string',
            description: 'What the client calls itself; NAME* for all that begin so.',
          },
          nth: { type: 'integer', minimum: 1, description: 'Only this one, counted from 1.' },
          after: { type: 'integer', minimum: 0, description: 'So many pass before.' },
          count: { type: 'integer', minimum: 1, description: 'So many are struck, and then no more.' },
          percent: { type: 'integer', minimum: 0, maximum: 100, description: 'So many, by chance.' },
          status: { type: 'integer', enum: REFUSALS, description: 'Of fail; default 500.' },
          retryAfterSeconds: { type: 'integer', minimum: 0 },
          resets: { type: 'boolean', description: 'Of loseAnswer: the connection breaks.' },
          crashes: { type: 'string', description: 'Who crashes; default: who asks.' },
        },
      },
      MachineFaults: {
        type: 'object',
        properties: {
          diskFull: { type: 'boolean' },
          runtimeHangs: { type: 'boolean' },
          checkpointFails: {
            type: 'string',
            description: 'What the container runtime says of every checkpoint that it is asked for.',
          },
          checkpointUnimplemented: {
            type: 'boolean',
            description: 'The container runtime knows no checkpoints.',
          },
        },
      },
      Files: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                path: { type: 'string' },
                mode: { type: 'string', description: 'Permission bits in octal.' },
                owner: { type: 'string', description: '`root`, or the number of a user.' },
                sizeBytes: { type: 'integer', description: 'Room that it takes on the disk.' },
              },
            },
          },
        },
      },
      Restore: {
        type: 'object',
        required: ['archive', 'from', 'onto', 'pod', 'container'],
        properties: {
          archive: { type: 'string', description: 'Path, as the checkpoint endpoint has told it.' },
          from: { type: 'string', description: 'Node that made the checkpoint.' },
          onto: { type: 'string', description: 'Node on which the container is to go on.' },
          namespace: { type: 'string', default: 'default' },
          pod: { type: 'string' },
          container: { type: 'string' },
        },
      },
      Restart: {
        type: 'object',
        required: ['actor'],
        properties: {
          actor: { type: 'string', description: 'Such as apiserver/1 or worker-1.' },
          release: { type: 'string', description: 'From now on, such as 1.30.' },
          featureGates: { type: 'object', additionalProperties: { type: 'boolean' } },
          runtimeConfig: {
            type: 'object',
            additionalProperties: { type: 'boolean' },
            description: 'API versions that an API server serves from now on, such as batch/v1.',
          },
        },
      },
      LeaderChange: {
        type: 'object',
        properties: {
          takes: {
            description: 'A duration such as "2s", or milliseconds.',
            oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
          },
        },
      },
      Restored: { type: 'object', properties: { container: { type: 'string' } } },
      Trace: {
        type: 'object',
        properties: {
          length: { type: 'integer' },
          digest: { type: 'string', description: 'Equal runs have equal digests.' },
          items: { type: 'array', items: { type: 'string' } },
        },
      },
      Choices: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                site: { type: 'string' },
                occurrence: { type: 'integer' },
                answer: { type: 'integer' },
              },
            },
          },
        },
      },
    },
  },
} as const;
