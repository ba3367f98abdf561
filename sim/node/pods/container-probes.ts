/**
 * The probes of a container, for as long as it runs: startup first, then liveness and readiness. What
 * they find is the workload's behaviour. A failed startup or liveness probe stops the container.
 */
import type { Pod, Probe } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { Signal } from '../../engine/signal.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { targetOf } from '../network/container-network.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { servedFile, usualFiles } from '../runtime/known-programs.ts';
import { probeFinding, type ProbeFailure } from '../runtime/workload-behaviour.ts';
import { stopContainer } from './container-stop.ts';
import { type OwnOutcome, runOwnCommand } from './own-command.ts';
import type { PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';
import { type Failing, findingText, portNumber } from './probe-finding-text.ts';

type ProbeKind = ProbeFailure['probe'];

const TITLES: Readonly<Record<ProbeKind, string>> = {
  startup: 'Startup',
  liveness: 'Liveness',
  readiness: 'Readiness',
};
const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_FAILURES = 3;
/** At most a period. */
const FIRST_TURN_MS = { min: 50, nominal: 500 };

export const hasProbes = ({ spec }: PodContainer): boolean =>
  (spec.startupProbe ?? spec.livenessProbe ?? spec.readinessProbe) !== undefined;

export class ContainerProbes {
  readonly #scope: PodScope;
  readonly #container: PodContainer;
  readonly #running: RuntimeContainer;
  readonly #isFound: boolean;

  /** `isFound`: it ran before the agent began. */
  constructor(scope: PodScope, container: PodContainer, running: RuntimeContainer, isFound: boolean) {
    this.#scope = scope;
    this.#container = container;
    this.#running = running;
    this.#isFound = isFound;
  }

  /** Without end. */
  *run(): Process<void> {
    const { startupProbe, livenessProbe, readinessProbe } = this.#container.spec;
    if (startupProbe && !(yield* this.#untilStarted(startupProbe))) return;
    this.#change({ isStarted: true, ...(!readinessProbe && { isReady: true }) });
    const probes: Process<void>[] = [];
    if (livenessProbe) probes.push(this.#keepAlive(livenessProbe));
    if (readinessProbe) probes.push(this.#judgeReadiness(readinessProbe));
    yield* this.#scope.context.all([...probes, new Signal().wait()]);
  }

  /** An agent that knows what was found before it goes on where the container is. */
  *#untilStarted(probe: Probe): Process<boolean> {
    if (this.#isStarted) return true;
    let failures = 0;
    yield* this.#delay(probe);
    for (;;) {
      if (this.#scope.isEnding) return false;
      if (yield* this.#succeeds('startup', probe)) return true;
      failures += 1;
      if (failures >= (probe.failureThreshold ?? DEFAULT_FAILURES)) {
        yield* this.#kill('startup', probe);
        return false;
      }
      yield* this.#pause(probe);
    }
  }

  /** A pod that ends is left alone. */
  *#keepAlive(probe: Probe): Process<void> {
    let failures = 0;
    yield* this.#delay(probe);
    while (!this.#scope.isEnding) {
      failures = (yield* this.#succeeds('liveness', probe)) ? 0 : failures + 1;
      if (failures >= (probe.failureThreshold ?? DEFAULT_FAILURES)) {
        yield* this.#kill('liveness', probe);
        return;
      }
      yield* this.#pause(probe);
    }
  }

  *#judgeReadiness(probe: Probe): Process<void> {
    let successes = 0;
    let failures = 0;
    yield* this.#delay(probe);
    for (;;) {
      const isFine = yield* this.#succeeds('readiness', probe);
      successes = isFine ? successes + 1 : 0;
      failures = isFine ? 0 : failures + 1;
      if (successes >= (probe.successThreshold ?? 1)) this.#change({ isReady: true });
      if (failures >= (probe.failureThreshold ?? DEFAULT_FAILURES)) this.#change({ isReady: false });
      yield* this.#pause(probe);
    }
  }

  /** What comes of it where the container is a server that one knows; undefined: nothing is wrong. */
  #problem(probe: Probe): string | undefined {
    const { server, startedAtMs } = this.#running;
    const { httpGet, tcpSocket, grpc } = probe;
    const asked = httpGet ?? tcpSocket ?? grpc;
    if (!server || !asked || ('host' in asked && asked.host !== undefined)) return undefined;
    const port = portNumber(asked.port, this.#container.spec) ?? 0;
    const said = (finding: Failing): string =>
      findingText(finding, probe, this.#container.spec, addressOf(this.#scope));
    if (!server.listensOn('TCP', port)) return said('silent');
    if (!httpGet) return undefined;
    const ranSeconds = (this.#scope.nowMs - startedAtMs) / 1_000;
    const status = server.check?.(targetOf(httpGet.path ?? '/').path, ranSeconds) ?? 200;
    return status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`;
  }

  /** Web servers show files that somebody may have taken away. */
  #lacksPage({ httpGet }: Probe): boolean {
    const { behaviour, id, image } = this.#running;
    if (!httpGet || behaviour.listens) return false;
    const file = servedFile(this.#container.spec, httpGet.path ?? '/');
    if (file === undefined) return false;
    const written = this.#scope.runtime.written.of(id);
    return written.has(file) && written.get(file) === undefined && usualFiles(image)[file] !== undefined;
  }

  /** What the command of a probe says that would go well by the workload's behaviour. */
  *#answer({ exec, timeoutSeconds = 1 }: Probe): Process<OwnOutcome | undefined> {
    if (!exec) return undefined;
    return yield* runOwnCommand(this.#scope, {
      words: exec.command ?? [],
      running: this.#running,
      timeoutSeconds,
    });
  }

  *#succeeds(kind: ProbeKind, probe: Probe): Process<boolean> {
    const { behaviour, startedAtMs } = this.#running;
    const found = probeFinding(behaviour, kind, (this.#scope.nowMs - startedAtMs) / 1_000);
    const finding = found === 'fine' && this.#lacksPage(probe) ? 'missing' : found;
    const answer = finding === 'fine' ? yield* this.#answer(probe) : undefined;
    const problem = finding === 'fine' ? this.#problem(probe) : undefined;
    const isFine = finding === 'fine' && problem === undefined && (answer?.exitCode ?? 0) === 0;
    this.#scope.probes.note(this.#container.spec.name, kind, isFine);
    if (isFine) return true;
    const text =
      finding === 'fine'
        ? (problem ?? said(answer, probe))
        : findingText(finding, probe, this.#container.spec, addressOf(this.#scope));
    this.#scope.tellOf(this.#container, 'Warning', 'Unhealthy', `${TITLES[kind]} probe failed: ${text}`);
    return false;
  }

  *#kill(kind: ProbeKind, probe: Probe): Process<void> {
    const { pod, ownGraceSeconds } = this.#scope;
    const graceSeconds = probe.terminationGracePeriodSeconds ?? ownGraceSeconds;
    const failed = `Container ${this.#container.spec.name} failed ${kind} probe`;
    const message = isToRestart(pod) ? `${failed}, will be restarted` : failed;
    yield* stopContainer(this.#scope, this.#container, this.#running, { graceSeconds, message });
  }

  get #isStarted(): boolean {
    const { role, spec } = this.#container;
    return this.#scope.records.get(role, spec.name)?.isStarted === true;
  }

  #change(change: { readonly isStarted?: boolean; readonly isReady?: boolean }): void {
    const { role, spec } = this.#container;
    this.#scope.records.change(role, spec.name, change);
  }

  /** Counted from the start of the container. */
  *#delay({ initialDelaySeconds = 0, periodSeconds = DEFAULT_PERIOD_SECONDS }: Probe): Process<void> {
    const goneMs = this.#scope.nowMs - this.#running.startedAtMs;
    const { context } = this.#scope;
    yield* context.sleep(seconds(Math.max(0, initialDelaySeconds - goneMs / 1_000)));
    if (this.#isFound) yield* context.sleep(milliseconds(this.#firstTurnMs(periodSeconds * 1_000)));
  }

  /** An agent that has just begun does not probe all that it finds at once: each has its turn within the probe's period. */
  #firstTurnMs(periodMs: number): number {
    const { min, nominal } = FIRST_TURN_MS;
    return this.#scope.context.site('first probes').around(min, nominal, periodMs);
  }

  *#pause({ periodSeconds = DEFAULT_PERIOD_SECONDS }: Probe): Process<void> {
    yield* this.#scope.context.sleep(seconds(periodSeconds));
  }
}

const said = (answer: OwnOutcome | undefined, { exec }: Probe): string =>
  answer?.isLate
    ? `command ${JSON.stringify((exec?.command ?? []).join(' '))} timed out`
    : `${answer?.stdout ?? ''}${answer?.stderr ?? ''}`;

const isToRestart = ({ spec }: Pod): boolean => spec?.restartPolicy !== 'Never';
const addressOf = ({ options }: PodScope): string => options.podIP;
