/** The part of the scenario language that says on what a scenario runs. */
import { webhookShape } from './webhook-shape.ts';
import { optional, required } from './shape.ts';
import { duration, flag, integer, list, map, mapping, struct, text, word } from './shape-builders.ts';

const MOST_NODES = 10_000;
const SCHEDULES = ['first-come', 'random', 'priorities', 'delays'] as const;

const taintShape = struct({
  name: 'Taint',
  doc: 'Keeps pods away that do not tolerate it.',
  fields: {
    key: required(text('Key, such as `dedicated`.')),
    value: optional(text('Value.')),
    effect: required(
      word('What becomes of pods that do not tolerate it.', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    ),
  },
});

const evictionShape = struct({
  name: 'Eviction',
  doc: 'When a node gives up pods. Signals: `memory.available`, `nodefs.available`, `imagefs.available`, `pid.available`.',
  fields: {
    hard: optional(
      map(
        'Signals, and what is too little of them: `100Mi`, or `10%` of what the node has. What is not named never is.',
        text('Amount.'),
      ),
    ),
    minimumReclaim: optional(map('So much more has to be there before the node stops.', text('Amount.'))),
    pressureTransitionSeconds: optional(
      integer('How long a condition stays after the last pressure. Default: 300.', 0, 86_400),
    ),
  },
});

const templateShape = struct({
  name: 'NodeTemplate',
  doc: 'What all nodes of a fleet have in common.',
  fields: {
    labels: optional(map('Labels, beside those that every node has.', text('Value.'))),
    annotations: optional(map('Annotations.', text('Value.'))),
    taints: optional(list('Taints with which the nodes register.', taintShape)),
    capacity: optional(map('Resources, such as `cpu: "8"`; beside the usual ones.', text('Quantity.'))),
    allocatable: optional(
      map('What of it pods may use. Default: all, less what is kept back.', text('Quantity.')),
    ),
    unschedulable: optional(flag('The nodes register as cordoned.')),
    staticPods: optional(
      list(
        'Manifests of pods on the disk of each node, in `/etc/kubernetes/manifests`: the agent runs them by itself.',
        mapping('Manifest of a pod.'),
      ),
    ),
    eviction: optional(evictionShape),
  },
});

const fleetShape = struct({
  name: 'Fleet',
  doc: 'Nodes of one template, spread over zones in turn. `zone/zone-1` names all of a zone in faults, `node/*` all nodes.',
  fields: {
    count: required(integer('How many.', 1, MOST_NODES)),
    zones: optional({
      kind: 'either',
      doc: 'How many zones (`zone-1`, `zone-2`, …), or their names. Default: the nodes are in no zone.',
      options: [integer('How many.', 1, 1_000), list('Names.', text('Name.'))],
    } as const),
    region: optional(text('Region of all zones.')),
    release: optional(
      text(
        'Release of their agents, such as `1.29`: up to three behind the API servers is supported. Default: that of the cluster.',
      ),
    ),
    namePrefix: optional(text('Nodes are called so, and their number from 1. Default: `worker-`.')),
    template: optional(templateShape),
  },
});

const latencyShape = struct({
  name: 'DefaultLatency',
  doc: 'How long messages take; drawn for each by chance, most often the typical time.',
  fields: {
    min: required(duration('At least.')),
    typical: required(duration('Most often.')),
    max: required(duration('At most.')),
  },
});

const scheduleShape = struct({
  name: 'Schedule',
  doc: 'In which order those things happen that could happen at about the same time.',
  fields: {
    policy: required(
      word(
        'Who is next: who comes first; any of them; by priorities of actors, which change a few times; or who comes first, but for a few delays.',
        SCHEDULES,
      ),
    ),
    window: optional(
      duration(
        'What is due within so much of the first one may come before it. Default: 0, the same instant.',
      ),
    ),
    changePoints: optional(
      integer('With priorities: how often an actor falls behind all others. Default: 3.', 0, 100),
    ),
    delays: optional(
      integer('With delays: how often the first lets the next one go before it. Default: 2.', 0, 100),
    ),
  },
});

const agentsShape = struct({
  name: 'Agents',
  doc: 'Settings of all node agents.',
  fields: {
    rootDir: optional(
      text('Directory of an agent on its disk; checkpoints are below it. Default: `/var/lib/kubelet`.'),
    ),
    authorizationMode: optional(
      word('Who may use the endpoints of agents; `Webhook` asks the API server. Default: Webhook.', [
        'AlwaysAllow',
        'Webhook',
      ]),
    ),
    anonymousAuth: optional(
      flag('Callers without credentials are `system:anonymous`. Default: they get 401.'),
    ),
  },
});

const admissionShape = struct({
  name: 'Admission',
  doc: 'Which admission plugins run in API servers, by the names that kube-apiserver has for them.',
  fields: {
    disable: optional(list('Plugins that do not run.', text('Such as `ServiceAccount`.'))),
  },
});

const pluginSetShape = struct({
  name: 'PluginSet',
  doc: 'Changes of the usual plugins at one point.',
  fields: {
    enabled: optional(
      list(
        'Come after the usual ones, or take their place.',
        struct({
          name: 'PluginChoice',
          doc: 'A plugin.',
          fields: {
            name: required(text('Such as `ImageLocality`.')),
            weight: optional(integer('What its score counts.', 0, 100)),
          },
        }),
      ),
    ),
    disabled: optional(
      list(
        'Do not run.',
        struct({
          name: 'PluginName',
          doc: 'A plugin.',
          fields: { name: required(text('Such as `ImageLocality`, or `*`.')) },
        }),
      ),
    ),
  },
});

const schedulerShape = struct({
  name: 'Scheduler',
  doc: 'How pods are given nodes: parts of `KubeSchedulerConfiguration`.',
  fields: {
    profiles: optional(
      list(
        'Default: one, `default-scheduler`.',
        struct({
          name: 'SchedulerProfile',
          doc: 'Plugins under a name that pods can ask for.',
          fields: {
            schedulerName: optional(text('Default: `default-scheduler`.')),
            percentageOfNodesToScore: optional(integer('0: by the size of the cluster.', 0, 100)),
            plugins: optional(
              map('By point: `multiPoint` (all of them), `filter`, `score`, `postFilter`, …', pluginSetShape),
            ),
          },
        }),
      ),
    ),
    percentageOfNodesToScore: optional(
      integer(
        'How many of the nodes are looked at, if so many fit. Default: by the size of the cluster.',
        0,
        100,
      ),
    ),
    podInitialBackoffSeconds: optional(integer('Pause after the first failure. Default: 1.', 1, 3_600)),
    podMaxBackoffSeconds: optional(integer('Longest pause. Default: 10.', 1, 3_600)),
    assumedPodSeconds: optional(
      integer('How long a pod counts as placed that was bound and not seen so. Default: for ever.', 1, 3_600),
    ),
  },
});

const serverShape = struct({
  name: 'ApiServer',
  doc: 'One of several API servers.',
  fields: { release: optional(text('Its release, such as `1.30`. Default: that of the cluster.')) },
});

const programShape = struct({
  name: 'Program',
  doc: 'A controller of your own: a JavaScript module whose `main`, `run` or default export is given a client, informers and queues of the cluster, as a guest is. It runs as the actor `guest/<name>`, and rules about controllers watch it.',
  fields: {
    name: required({
      ...text('Its actor is `guest/` and this.'),
      pattern: {
        source: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
        expected: 'a name of lower-case letters, digits, - and .',
      },
    }),
    file: required(text('Module, seen from the file of the scenario, such as `./operator.mjs`.')),
    restartPolicy: optional(
      word(
        'What becomes of it when it ends itself or throws where nobody catches it. `Never`: the run has failed. `OnFailure` (unless its exit code is 0) and `Always`: it is begun anew as a container of a pod is, at first soon, then after a back-off of 10 s to 5 min. Default: Never.',
        ['Never', 'OnFailure', 'Always'],
      ),
    ),
  },
});

export const clusterShape = struct({
  name: 'Cluster',
  doc: 'The cluster that the scenario runs on. Without it: an API server and its controllers, no nodes.',
  fields: {
    nodes: optional({
      kind: 'either',
      doc: 'Nodes that register and renew their leases: so many (`worker-1`, `worker-2`, …), a fleet, or several fleets.',
      options: [integer('How many.', 0, MOST_NODES), fleetShape, list('Several fleets.', fleetShape)],
    } as const),
    agents: optional(agentsShape),
    release: optional(
      text(
        'Release of Kubernetes, `1.15` to `1.37`: which API versions are served, preferred and stored, feature gates, warnings, defaults of old versions. What no record tells of a release is inferred from its neighbours. Default: `1.31`.',
      ),
    ),
    apiServers: optional({
      kind: 'either',
      doc: 'API servers over one storage, `apiserver/0` and on: how many, or one after the other. Default: 1.',
      options: [integer('How many.', 1, 9), list('Each of them.', serverShape)],
    } as const),
    controllers: optional(
      list(
        'Which controllers run, as kube-controller-manager takes them: `*`, a name, `-name`. Default: `*`.',
        text('Such as `ttl-controller`, or `-ttl-controller`.'),
      ),
    ),
    controllerManagers: optional(
      integer(
        'Controller managers, `controller-manager/0` and on, of which one leads (`controller-manager/leader`). Default: 1.',
        1,
        9,
      ),
    ),
    scheduler: optional({
      kind: 'either',
      doc: 'Whether pods are given nodes, and how. Default: true.',
      options: [flag('Whether at all.'), schedulerShape],
    } as const),
    schedulers: optional(
      integer('Schedulers, `scheduler/0` and on, of which one leads (`scheduler/leader`). Default: 1.', 1, 9),
    ),
    leaderElect: optional(
      flag(
        'Whether controller managers and schedulers work only while they hold the lease `kube-system/kube-controller-manager` or `kube-scheduler`. Default: if there are several of a kind.',
      ),
    ),
    metricsServer: optional(
      flag(
        'A metrics server, `metrics-server` in faults, that serves `metrics.k8s.io` from what the workloads use. Default: none, and autoscalers find no metrics.',
      ),
    ),
    latency: optional(latencyShape),
    schedule: optional({
      kind: 'either',
      doc: 'Order of what could happen at about the same time. Default: `first-come` with the first seed, `random` with a window of 1ms with others.',
      options: [word('A policy alone.', SCHEDULES), scheduleShape],
    } as const),
    authorizationMode: optional(
      word('Who may do what. Default: AlwaysAllow.', ['AlwaysAllow', 'AlwaysDeny', 'RBAC']),
    ),
    allowPrivileged: optional(flag('Whether containers may be privileged. Default: false.')),
    compactionInterval: optional(duration('How often old history is dropped; 0: never. Default: 5m.')),
    watchCacheLag: optional(duration('How late the API server sees changes. Default: 0.')),
    featureGates: optional(map('Feature gates of the API server.', flag('On or off.'))),
    storageMembers: optional(
      integer(
        'Members of the storage, `etcd/0` and on, that can lag, crash, be cut off and lose their majority; `apiserver/1` talks to `etcd/1`, in turn. Default: a storage that does not fail.',
        1,
        9,
      ),
    ),
    admission: optional(admissionShape),
    webhooks: optional(list('Admission webhooks that answer as they are told to.', webhookShape)),
    programs: optional(list('Controllers of your own that run in the cluster from time 0 on.', programShape)),
    settled: optional(
      flag(
        'Whether the first step finds everything up: nodes Ready, namespaces with their service accounts, leaders elected. What it takes to get there happens before time 0. `false`: the first step is the very first thing that happens. Default: true.',
      ),
    ),
    epoch: optional({
      ...text('What the clocks show at time 0. Default: `2025-01-01T00:00:00Z`.'),
      pattern: {
        source: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,3})?Z$',
        expected: 'a time such as 2025-01-01T00:00:00Z, in quotes',
      },
    }),
    runtimeConfig: optional(
      map('API versions to serve or not: `api/all`, `apps/v1`.', flag('Served or not.')),
    ),
  },
});
