/**
 * Programs that read again and again what a volume shows, and end, while what it shows is changed, the way to the server is
 * long or short, and others look into their containers: whatever they read is no older than an agent lets it become, and
 * of pods that have ended no file is on the disk of the node, then or later.
 *
 * @holds sim/node/volumes
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askAgent } from '../../cluster/agent-user.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';

const [NODE, AGENT] = ['worker-1', 'node/worker-1'];
const NAMES = ['a', 'b'] as const;
const VALUES = ['one', 'two', 'three'] as const;
const FILE = '/config/word';
/** An agent looks so often whether what it has filled volumes with has changed. */
const FILLED_FOR_MS = 60_000;
/** There and back, and what each takes beside that. */
const SLOW_MS = 2_000;
const ANSWER_MS = 2 * SLOW_MS + 1_000;

type Value = (typeof VALUES)[number];

interface Program {
  /** It reads after each. */
  readonly pausesSeconds: readonly number[];
  readonly isEndless: boolean;
}

const scriptOf = ({ pausesSeconds, isEndless }: Program): string => {
  const steps = pausesSeconds.map((pause) => `sleep ${pause}; cat ${FILE}`).join('; ');
  return isEndless ? `while true; do ${steps}; done` : steps;
};

interface Read {
  readonly atMs: number;
  readonly text: string;
}

class World {
  readonly cluster = createCluster({
    ...{ nodes: 1, controllers: [], scheduler: false, settled: true },
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  /** What was said, and until when; the last one is what is said now. */
  readonly #said: { readonly value: Value; untilMs: number }[] = [{ value: 'one', untilMs: Infinity }];
  /** Uids by name of the pods that there are or were. */
  readonly #uids = new Map<string, string>();
  /** Of pods that have ended. */
  readonly #over = new Set<string>();

  constructor() {
    this.cluster.client.configMaps.create({ metadata: { name: 'config' }, data: { word: 'one\n' } });
  }

  get #nowMs(): number {
    return this.cluster.now / 1_000;
  }

  run(name: string, program: Program): void {
    this.stop(name);
    create(this.cluster, name, {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          image: 'busybox',
          command: ['sh', '-c', scriptOf(program)],
          volumeMounts: [{ name: 'config', mountPath: '/config' }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: 'config' } }],
    });
    this.#uids.set(name, this.cluster.client.pods.get(name).metadata.uid ?? '');
  }

  /** Of its pod nothing is known any more, and its agent may know it still. */
  stop(name: string): void {
    if (!this.#uids.delete(name)) return;
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
  }

  say(value: Value): void {
    const last = this.#said.at(-1);
    if (last) last.untilMs = this.#nowMs;
    this.#said.push({ value, untilMs: Infinity });
    this.cluster.client.configMaps.patch('config', { type: 'merge', body: { data: { word: `${value}\n` } } });
  }

  /** It is changed again and again, and nobody else looks. */
  readOn(name: string, values: readonly Value[]): void {
    this.run(name, { pausesSeconds: [12], isEndless: true });
    for (const value of values) {
      this.say(value);
      this.cluster.advance(seconds(90));
    }
  }

  slow(isSlow: boolean): void {
    const typical = milliseconds(SLOW_MS);
    if (isSlow) this.cluster.faults.setLatency(AGENT, { min: typical, typical, max: typical });
    else this.cluster.faults.resetLatency(AGENT);
  }

  /** Somebody looks into its container. */
  look(name: string): void {
    const beganMs = this.#nowMs;
    const answer = askAgent(this.cluster, NODE, {
      method: 'POST',
      path: `/run/default/${name}/main`,
      query: { cmd: `cat ${FILE}` },
    });
    const text = String(answer?.body).trimEnd();
    if (VALUES.some((value) => value === text)) this.#expectFresh({ atMs: this.#nowMs, text }, beganMs);
  }

  /** Long after its volume was filled, and shortly before it ends by itself or is taken away. */
  lookAtLast(name: string, isTaken: boolean): void {
    this.slow(false);
    this.run(name, { pausesSeconds: [FILLED_FOR_MS / 1_000 + 3], isEndless: isTaken });
    const isRunning = (): boolean => this.cluster.client.pods.get(name).status?.phase === 'Running';
    this.cluster.eventually(isRunning, { within: minutes(1) });
    this.cluster.advance(milliseconds(FILLED_FOR_MS));
    this.slow(true);
    if (isTaken) this.cluster.client.pods.delete(name);
    this.look(name);
  }

  /** It was said not so long before it could have been read anew. */
  #expectFresh({ atMs, text }: Read, couldMs: number): void {
    const sinceMs = couldMs - FILLED_FOR_MS - ANSWER_MS;
    const fresh = this.#said.filter(({ untilMs }) => untilMs >= sinceMs).map(({ value }) => value);
    expect(fresh, `what is read at ${atMs} ms, and could have been read anew at ${couldMs} ms`).toContain(
      text,
    );
  }

  compare(): void {
    this.#expectRead();
    this.#expectCleared();
  }

  #expectRead(): void {
    for (const { written, startedAtMs } of this.cluster.machine(NODE).runtime.all()) {
      const reads = (written?.entries ?? []).map(({ text = '', afterSeconds = 0 }): Read => ({
        atMs: startedAtMs + afterSeconds * 1_000,
        text,
      }));
      for (const read of reads) {
        const before = reads.findLast(({ atMs }) => atMs < read.atMs - ANSWER_MS);
        this.#expectFresh(read, before?.atMs ?? startedAtMs);
      }
    }
  }

  #expectCleared(): void {
    for (const { metadata, status } of this.cluster.client.pods.list().items)
      if (status?.phase === 'Succeeded') this.#over.add(metadata.uid ?? '');
    const files = this.cluster.machine(NODE).disk.list('/');
    for (const uid of this.#over)
      expect(
        files.filter((path) => path.includes(uid)),
        'what is left of who has ended',
      ).toEqual([]);
  }

  end(): void {
    this.slow(false);
    for (const name of NAMES) this.stop(name);
    this.cluster.advance(minutes(1));
    const files = this.cluster.machine(NODE).disk.list('/');
    expect(
      files.filter((path) => path.includes('volumes')),
      'what is left when nobody is left',
    ).toEqual([]);
  }
}

const name = fc.constantFrom(...NAMES);
/** Who ends with what it reads has asked for what has changed, and does not wait for it. */
const program: fc.Arbitrary<Program> = fc
  .record({
    pausesSeconds: fc.array(fc.constantFrom(0, 1, 12, 63), { minLength: 1, maxLength: 4 }),
    isEndless: fc.boolean(),
  })
  .map(({ pausesSeconds, isEndless }) => ({
    pausesSeconds: isEndless ? [...pausesSeconds, 12] : pausesSeconds,
    isEndless,
  }));
const act = actsOn<World>();
const run = act('run', fc.tuple(name, program), (world, drawn) => world.run(...drawn));
const say = act('say', fc.constantFrom(...VALUES), (world, value) => world.say(value));
const pass = act('pass', fc.constantFrom(1, 10, 30, 65, 130), ({ cluster }, span) =>
  cluster.advance(seconds(span)),
);

it('read what is said, and leave nothing behind', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[run, say, say, pass, pass, pass],
      act('slow', fc.boolean(), (world, isSlow) => world.slow(isSlow)),
      act('read on', fc.tuple(name, fc.shuffledSubarray([...VALUES], { minLength: 3 })), (world, drawn) =>
        world.readOn(...drawn),
      ),
      act('look at last', fc.tuple(name, fc.boolean()), (world, drawn) => world.lookAtLast(...drawn)),
      act('look', name, (world, of) => world.look(of)),
      act('stop', name, (world, of) => world.stop(of)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 20,
    runs: 25,
  });
});
