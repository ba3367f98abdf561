/** A world that is a simulated cluster: what a scenario does, goes over its network from the actor `user/test`. */
import {
  askAgent,
  createCluster,
  formatMicros,
  restoreCheckpoint,
  microseconds,
  nameOfRelease,
  WireUser,
  type Cluster,
  type ClusterOptions,
  type WatchLog,
} from '../../sim/index.ts';
import type { Choice, Snapshot } from '../../reports/run-record.ts';
import type { Change, History } from '../../model/history.ts';
import { NODE_RULES, NodeRules } from '../../model/nodes/node-rules.ts';
import { WORKLOAD_RULES } from '../../model/workloads/workload-rules.ts';
import { READ_RULES } from '../../model/reads/observation.ts';
import { SCHEDULING_RULES, SchedulingRules } from '../../model/scheduling/scheduling-rules.ts';
import { ReadRules } from '../../model/reads/read-rules.ts';
import { clusterOptions } from './cluster-options.ts';
import { type Drive, driveOf } from './drive.ts';
import { endFault } from './end-fault.ts';
import { haltAt, inspect } from './inspection.ts';
import { startPrograms } from './programs.ts';
import { askedOf } from './rest-facts.ts';
import {
  brokenRule,
  type RestQuestion,
  type RestRuleName,
  restProblems,
} from '../../model/rest/rest-rules.ts';
import { Past } from '../../model/rest/past.ts';
import { changesAcrossRestart, unmendedOf } from '../../model/rest/restarts-change-nothing.ts';
import { applyFault, checkFault, requireActor } from './faults.ts';
import { Webhooks } from './webhooks.ts';
import { CustomObjectRules } from '../../model/api/custom-object-rules.ts';
import { PolicyRules } from '../../model/api/policy-rules.ts';
import { WEBHOOK_RULES, type WebhookRuleName } from '../../model/api/webhook-rules.ts';
import { migrate, upgradeTo } from './upgrades.ts';
import type {
  ClusterSpec,
  Fault,
  MigrateStorage,
  Restore,
  Upgrade,
  WebhookStep,
} from '../language/scenario-shape.ts';
import type { Json } from '../language/shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { API_RULES, ApiRules } from '../../model/api/api-rules.ts';
import { CONTROLLER_RULES, type ControllerRules } from '../../model/controllers/controller-rules.ts';
import { observeControllers } from '../checks/observe-controllers.ts';
import { observeExchanges } from '../checks/observe-exchanges.ts';
import { observeNodes } from '../checks/observe-nodes.ts';
import { observeViews } from '../checks/observe-views.ts';
import { observeScheduling } from '../checks/observe-scheduling.ts';
import { STORAGE_RULES, StorageRules } from '../../model/storage/storage-rules.ts';
import { ReleaseObserver } from '../checks/observe-releases.ts';
import { ReadObserver } from '../checks/observe-reads.ts';
import { changeOf } from '../checks/operations.ts';
import { answerOf, bearerToken, jsonOrText, NO_ANSWER, wireRequest } from './wire-exchange.ts';
import { objectsOf, recordOf } from './cluster-records.ts';
import type {
  Answer,
  DeedOnOldView,
  FaultTime,
  Inspection,
  MakeWorld,
  RestProblem,
  RuleViolation,
  World,
  WorldOptions,
  WorldRecord,
  WorldRequest,
  WorldWatch,
} from './world.ts';

export const createClusterWorld: MakeWorld = (options) => new ClusterWorld(options, createCluster);

/** A world of clusters that somebody else makes: to see what becomes of a scenario in a cluster with a defect. */
export const clusterWorldOf =
  (make: (options: ClusterOptions) => Cluster): MakeWorld =>
  (options) =>
    new ClusterWorld(options, make);

/** Who asks a node agent as this, has no credentials. */
const ANONYMOUS = 'system:anonymous';

/** Told of what is stored, before and after, and of what is stored no more. */
interface StoredRules {
  stored(key: string, object: unknown, before: unknown): void;
  removed?(key: string): void;
}

class ClusterWorld implements World {
  readonly #cluster: Cluster;
  readonly #drive: Drive;
  readonly #hasPrograms: boolean;
  readonly #user: WireUser;
  readonly #nodeRules: NodeRules;
  readonly #schedulingRules: SchedulingRules;
  readonly #readRules: ReadRules;
  readonly #apiRules: ApiRules;
  readonly #controllerRules: ControllerRules;
  readonly #readObserver: ReadObserver | undefined;
  readonly #webhooks: Webhooks;
  readonly #storageRules: StorageRules;
  readonly #customObjects = new CustomObjectRules(() => this.now);
  readonly #policies = new PolicyRules(() => this.now);
  readonly #releaseObserver: ReleaseObserver;
  readonly #ofWebhooks: readonly WebhookRuleName[];
  readonly #history: Change[] = [];
  readonly #past = new Past();
  /** No fault has been asked for. */
  #isCalm = true;
  readonly inspection: Inspection | undefined;
  readonly deedsOnOldViews: readonly DeedOnOldView[] | undefined;

  constructor(options: WorldOptions, make: (options: ClusterOptions) => Cluster) {
    const { cluster, seed, rules = [], keepsHistory = false, replay, keeps = 256 } = options;
    const { observer, onDecision, writesByDelta, branch, directory, halt, keepsViews = false } = options;
    const ofNodes = [...NODE_RULES, ...WORKLOAD_RULES].filter((rule) => rules.includes(rule));
    const ofReads = READ_RULES.filter((rule) => rules.includes(rule));
    this.#nodeRules = new NodeRules(ofNodes, { slack: slackOf(cluster) });
    const ofSchedulers = SCHEDULING_RULES.filter((rule) => rules.includes(rule));
    this.#schedulingRules = new SchedulingRules(ofSchedulers);
    this.#readRules = new ReadRules(ofReads);
    const ofApi = API_RULES.filter((rule) => rules.includes(rule));
    this.#apiRules = new ApiRules(ofApi);
    this.#storageRules = new StorageRules(STORAGE_RULES.filter((rule) => rules.includes(rule)));
    let readObserver: ReadObserver | undefined;
    let deeds: readonly DeedOnOldView[] | undefined;
    const lookOn = (made: Cluster): void => {
      if (keepsHistory) this.#keepHistory(made);
      observeNodes(made, (observation) => {
        this.#past.observe(observation);
        this.#nodeRules.observe(observation);
      });
      if (ofSchedulers.length > 0)
        observeScheduling(made, (observation) => this.#schedulingRules.observe(observation));
      if (ofApi.length > 0) observeExchanges(made, this.#apiRules);
      if (ofReads.length > 0) readObserver = new ReadObserver(made, this.#readRules);
      if (keepsViews) deeds = observeViews(made);
    };
    this.#cluster = make({
      ...clusterOptions(cluster),
      seed,
      onAssembled: lookOn,
      ...(onDecision && { onDecision }),
      ...(replay && { replay }),
      ...(writesByDelta !== undefined && { writesByDelta }),
      trace: {
        keeps,
        ...(observer && {
          observer: { recorded: (trace) => observer.recorded(trace.digestLane, () => recordOf(trace.last)) },
        }),
      },
    });
    if (branch) {
      const { simulation } = this.#cluster;
      simulation.at(microseconds(branch.at), 'branch', () => simulation.choices.continueWith(branch.seed));
    }
    this.#controllerRules = observeControllers(
      this.#cluster,
      CONTROLLER_RULES.filter((rule) => rules.includes(rule)),
    );
    this.#user = new WireUser(this.#cluster);
    const { webhooks = [] } = cluster;
    this.#ofWebhooks = WEBHOOK_RULES.filter((rule) => rules.includes(rule));
    this.#webhooks = new Webhooks(this.#cluster, webhooks, () => this.now);
    this.#webhooks.configure(this.#user, webhooks);
    const { programs = [] } = cluster;
    this.#hasPrograms = programs.length > 0;
    this.#drive =
      programs.length === 0 ? driveOf(this.#cluster) : startPrograms(this.#cluster, programs, directory);
    if (rules.includes('custom-objects-are-valid')) this.#tellOfStored(this.#customObjects);
    if (rules.includes('policies-hold')) this.#tellOfStored(this.#policies);
    this.#readObserver = readObserver;
    this.deedsOnOldViews = deeds;
    this.#releaseObserver = new ReleaseObserver(this.#cluster, this.#storageRules);
    if (halt) {
      this.inspection = inspect(this.#cluster);
      haltAt(this.#cluster, halt);
    }
  }

  get now(): number {
    return this.#cluster.now;
  }

  get nowText(): string {
    return new Date(this.#cluster.simulation.epochMs + Math.floor(this.now / 1_000)).toISOString();
  }

  async request(request: WorldRequest): Promise<Answer> {
    this.#checkServer(request);
    const answer =
      request.node === undefined
        ? answerOf(await this.#drive.finish(this.#user.asking(wireRequest(request))))
        : this.#askAgent(request.node, request);
    // What came back belongs to the trace, so that runs in which it differs have different digests.
    this.#cluster.user.context.trace('answer', `${request.method} ${request.path}`, {
      status: answer.status,
      body: answer.body,
    });
    return answer;
  }

  async requestAll(requests: readonly WorldRequest[]): Promise<readonly Answer[]> {
    for (const request of requests) this.#checkServer(request);
    const asking = this.#user.askingAll(requests.map(wireRequest));
    const answers = (await this.#drive.finish(asking)).map(answerOf);
    for (const [index, { status, body }] of answers.entries()) {
      const { method, path } = requests[index] ?? {};
      this.#cluster.user.context.trace('answer', `${method ?? ''} ${path ?? ''}`, { status, body });
    }
    return answers;
  }

  #checkServer({ server }: WorldRequest): void {
    const names = this.#cluster.apiServers.map(({ name }) => name);
    if (server !== undefined && !names.includes(server))
      throw new ScenarioError(`there is no API server \`${server}\`; there are ${names.join(', ')}`);
  }

  /** Some verbs move time on without giving programs their turns. */
  #checkAlone(what: string): void {
    if (this.#hasPrograms) throw new ScenarioError(`a cluster with programs cannot ${what} yet`);
  }

  #askAgent(node: string, { method, path, query = {}, headers = {}, user }: WorldRequest): Answer {
    this.#checkAlone('be asked for what agents of nodes serve');
    requireActor(this.#cluster, node);
    const token = bearerToken(headers);
    const answer = askAgent(this.#cluster, node, {
      ...(token !== undefined && { token }),
      method,
      path,
      query,
      ...(user === ANONYMOUS && { user: 'anonymous' }),
      ...(user !== undefined &&
        user !== ANONYMOUS && { user: { name: user, groups: ['system:authenticated'] } }),
    });
    if (!answer) return NO_ANSWER;
    const { status, body, contentType } = answer;
    const isJson = contentType === 'application/json' && typeof body === 'string';
    return { status, headers: {}, warnings: [], body: isJson ? jsonOrText(body) : (body as Json) };
  }

  async watch(request: WorldRequest): Promise<{ readonly answer: Answer; readonly watch?: WorldWatch }> {
    this.#checkServer(request);
    const wire = wireRequest(request);
    const opened = await this.#drive.finish(this.#user.opening(wire));
    const { answer, log } = this.#user.opened(wire, opened);
    return { answer: answerOf(answer), ...(log && { watch: new LogWatch(log) }) };
  }

  restore(restore: Restore): Answer {
    const outcome = restoreCheckpoint(this.#cluster, restore);
    const isReady = outcome.kind === 'ready';
    const status = isReady ? 200 : outcome.kind === 'missing' ? 404 : 422;
    const body = isReady ? { container: outcome.container } : { message: outcome.message };
    return { status, headers: {}, warnings: [], body };
  }

  webhook(script: WebhookStep): void {
    this.#webhooks.follow(script);
  }

  async upgrade(step: Upgrade): Promise<void> {
    const wentBack = this.#cluster.apiServers.some(({ release }) =>
      isBefore(step.release, nameOfRelease(release)),
    );
    await this.#releaseObserver.across(() => upgradeTo(this.#cluster, this.#drive, step), wentBack);
  }

  migrateStorage(migration: MigrateStorage): void {
    migrate(this.#cluster, migration);
  }

  async advance(micros: number): Promise<void> {
    await this.#drive.advance(microseconds(micros));
  }

  fault(fault: Fault, { delay = 0, length }: FaultTime = {}): void {
    this.#isCalm = false;
    if (length !== undefined) {
      const end = microseconds(this.now + delay + length);
      this.#cluster.simulation.at(end, 'end of a fault', () => endFault(fault, this.#cluster));
    }
    if (delay === 0) applyFault(fault, this.#cluster);
    else {
      checkFault(fault, this.#cluster);
      const due = microseconds(this.now + delay);
      this.#cluster.simulation.at(due, 'fault', () => applyFault(fault, this.#cluster));
    }
  }

  async settle(within: number, exempt: readonly RestRuleName[] = []): Promise<readonly RestProblem[]> {
    const deadline = this.now + within;
    let suspect: RestRuleName | undefined;
    for (let [rightSince, writesThen] = [this.now, -1]; ;) {
      await this.#drive.advance(microseconds(LOOK_EVERY));
      // Whoever broke a rule may never rest: what he broke says more.
      if (this.#controllerRules.violations.length > 0) return [];
      const { writeCount } = this.#cluster;
      // What was right stays so while only heartbeats are written, and is looked at again before it counts.
      if (writeCount === writesThen && this.now - rightSince < RIGHT_FOR) continue;
      const { entries } = this.#cluster.storage.range({ prefix: '/registry/' });
      const objects = entries.map(({ value }) => value);
      const question = this.#atRest(exempt);
      suspect = brokenRule(objects, question, suspect);
      writesThen = suspect ? -1 : writeCount;
      if (suspect) rightSince = this.now;
      else if (this.now - rightSince >= RIGHT_FOR) return this.#writingProblems();
      if (suspect && this.now >= deadline) return restProblems(objects, question);
    }
  }

  #atRest(exempt: readonly RestRuleName[]): RestQuestion {
    const nowMs = this.#cluster.simulation.epochMs + Math.floor(this.now / 1_000);
    return askedOf(this.#cluster, { nowMs, exempt, isCalm: this.#isCalm, past: this.#past });
  }

  /** Lets time go by until, for a while, nobody writes but heartbeats. */
  async #writingProblems(): Promise<readonly RestProblem[]> {
    const deadline = this.now + CEASES_WITHIN;
    for (let before = -1; before !== this.#cluster.writeCount;) {
      if (this.now > deadline) {
        const message = `the cluster was still writing after ${formatMicros(microseconds(CEASES_WITHIN))}`;
        return [{ rule: 'writing-ceases', message }];
      }
      before = this.#cluster.writeCount;
      await this.#drive.advance(microseconds(QUIET));
    }
    return [];
  }

  async beginAnew(): Promise<readonly RestProblem[]> {
    if (this.#hasPrograms) return [];
    const { apiServers, controllerManagers, schedulers, agents, faults } = this.#cluster;
    const before = this.objects();
    // An agent makes the Node that it misses when it starts, and only then.
    const registered = agents.filter(({ name }) => before[`Node ${name}`] !== undefined);
    const names = [
      ...controllerManagers,
      ...schedulers,
      ...registered.map(({ actor }) => actor),
      ...apiServers,
    ]
      .map(({ name }) => name)
      .filter((name) => faults.actor(name).state === 'running');
    const unmended = unmendedOf(before, this.#past);
    for (const name of names) faults.crash(name);
    await this.#drive.advance(microseconds(DOWN_FOR));
    for (const name of names) faults.restart(name);
    await this.#drive.advance(microseconds(LEASES_END));
    const problems = await this.#writingProblems();
    const messages = changesAcrossRestart(before, this.objects(), unmended);
    return [
      ...problems,
      ...messages.map((message) => ({ rule: 'restarts-change-nothing' as const, message })),
    ];
  }

  async rest(): Promise<void> {
    await this.#writingProblems();
  }

  tail(count: number): readonly WorldRecord[] {
    return this.#cluster.trace.records(count).map(recordOf);
  }

  get recordCount(): number {
    return this.#cluster.trace.length;
  }

  get digest(): string {
    return this.#cluster.digest;
  }

  get revision(): number {
    return this.#cluster.storage.revision;
  }

  get history(): History {
    return this.#history;
  }

  #tellOfStored(rules: StoredRules): void {
    this.#cluster.storage.watch({
      prefix: '/registry/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put') rules.stored(event.entry.key, event.entry.value, event.previous?.value);
          else rules.removed?.(event.key);
      },
    });
  }

  #keepHistory(cluster: Cluster): void {
    cluster.storage.watch({
      prefix: '',
      onEvents: (events, revision) => {
        for (const event of events) {
          const after = event.kind === 'put' ? event.entry.value : undefined;
          const change = changeOf(revision, event.previous?.value, after);
          if (change) this.#history.push(change);
        }
      },
    });
  }

  findViolations(): readonly RuleViolation[] {
    this.#nodeRules.look(this.now);
    this.#readObserver?.look();
    this.#controllerRules.look(this.now);
    return [
      ...this.#apiRules.violations,
      ...this.#storageRules.violations,
      ...this.#customObjects.violations,
      ...this.#policies.violations,
      ...this.#webhooks.rules.violations.filter(({ rule }) => this.#ofWebhooks.includes(rule)),
      ...this.#readRules.violations,
      ...this.#controllerRules.violations,
      ...this.#nodeRules.violations,
      ...this.#schedulingRules.violations,
    ];
  }

  get choices(): readonly Choice[] {
    return this.#cluster.simulation.choices.log();
  }

  objects(): Snapshot {
    return objectsOf(this.#cluster);
  }

  close(): void {
    this.#drive.close();
  }
}

const numberOf = (release: string): number => Number(/^v?1\.([0-9]+)/.exec(release)?.[1] ?? 0);
const isBefore = (release: string, other: string): boolean => numberOf(release) < numberOf(other);

const LOOK_EVERY = 5_000_000;
/** A node that is silent is noticed after 40 s. */
const RIGHT_FOR = 60_000_000;
/** Nobody but heartbeats writes for so long, and comes to that soon. */
const QUIET = 11_000_000;
const DOWN_FOR = 1_000_000;
/** Who is elected again waits until the term of the former is over. */
const LEASES_END = 25_000_000;
const CEASES_WITHIN = 600_000_000;

/** So many messages one after the other, each as slow as can be, may lie between a cause and its effect. */
const MESSAGES = 10;

const slackOf = ({ latency, watchCacheLag = 0 }: ClusterSpec): number =>
  MESSAGES * ((latency?.max ?? 0) + watchCacheLag);

class LogWatch implements WorldWatch {
  readonly #log: WatchLog;

  constructor(log: WatchLog) {
    this.#log = log;
  }

  get events(): readonly Json[] {
    // Events are JSON through and through; their TypeScript types are just more precise.
    return this.#log.events as readonly object[] as readonly Json[];
  }

  get isEnded(): boolean {
    return this.#log.isEnded;
  }

  close(): void {
    this.#log.close();
  }
}
