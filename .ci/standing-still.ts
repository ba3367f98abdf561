/**
 * Ends workers of a test run from which nothing has been heard for a long time: a loop without an end is broken off by no
 * limit of a test, and the whole run would wait for it for ever. Says which files were under way and, where the worker can
 * still be asked, what it was doing; `.ci/run` gives those files a second try.
 */
import { ChildProcess } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import WebSocket from 'ws';

const LONGEST_MS = 10 * 60_000;
const LOOKS_EVERY_MS = 15_000;
/** What a worker that can be asked needs to begin to listen, and to answer. */
const ASKED_MS = 5_000;
const INSPECTOR = 'http://127.0.0.1:9229/json/list';

export default class StandingStill implements Reporter {
  /** The last test that was heard of, by file. */
  readonly #underWay = new Map<string, string>();
  #heardMs = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #longestMs = LONGEST_MS;

  onInit({ config }: Vitest): void {
    // Whoever looks at it in a debugger takes their time.
    if (config.inspector.enabled) this.#longestMs = Infinity;
  }

  onTestRunStart(): void {
    this.#heardMs = Date.now();
    this.#timer = setInterval(() => void this.#look(), LOOKS_EVERY_MS);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#hear(moduleId, 'nothing yet');
  }

  onTestCaseReady(test: TestCase): void {
    this.#hear(test.module.moduleId, `begun: ${test.fullName}`);
  }

  onTestCaseResult(test: TestCase): void {
    this.#hear(test.module.moduleId, `ended: ${test.fullName}`);
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#heardMs = Date.now();
    this.#underWay.delete(moduleId);
  }

  #hear(file: string, what: string): void {
    this.#heardMs = Date.now();
    this.#underWay.set(file, what);
  }

  async #look(): Promise<void> {
    if (Date.now() - this.#heardMs < this.#longestMs) return;
    // Whoever is left has as long again.
    this.#heardMs = Date.now();
    for (const [file, what] of this.#underWay) this.#tell(file, what);
    // One after the other: each listens at the same port.
    for (const worker of workers()) {
      console.error((await stackOf(worker.pid ?? 0)).join('\n  '));
      worker.kill('SIGKILL');
    }
  }

  #tell(file: string, what: string): void {
    console.error(`${file} stands still: nothing was heard for ${LONGEST_MS / 1_000} s. ${what}`);
    const { STOOD_STILL } = process.env;
    if (STOOD_STILL) appendFileSync(STOOD_STILL, `${file}\n`);
    this.#underWay.delete(file);
  }
}

/** Node tells its children only here. */
function workers(): readonly ChildProcess[] {
  const handles: unknown = Reflect.apply(
    Reflect.get(process, '_getActiveHandles') as () => unknown,
    process,
    [],
  );
  return Array.isArray(handles) ? handles.filter((handle) => handle instanceof ChildProcess) : [];
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Functions that a process is in, the innermost first, each with its place. */
async function stackOf(pid: number): Promise<readonly string[]> {
  const title = `worker ${pid}`;
  try {
    if (await inspectors().catch(() => undefined)) return [`${title} cannot be asked: somebody else is`];
    process.kill(pid, 'SIGUSR1');
    await rest(ASKED_MS);
    const [target] = await inspectors();
    const told = target && (await Promise.race([pausedAt(target.webSocketDebuggerUrl), rest(ASKED_MS)]));
    return told ? [title, ...told] : [`${title} does not answer`];
  } catch (error) {
    return [`${title} cannot be asked: ${String(error)}`];
  }
}

/** Of the process that listens, if one does. */
const inspectors = async (): Promise<readonly Target[]> =>
  (await (await fetch(INSPECTOR)).json()) as readonly Target[];

interface Target {
  readonly webSocketDebuggerUrl: string;
}

interface Told {
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
    readonly callFrames?: readonly {
      readonly functionName: string;
      readonly location: { readonly scriptId: string; readonly lineNumber: number };
    }[];
  };
}

function pausedAt(url: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const scripts = new Map<string, string>();
    socket.once('error', reject);
    socket.once('open', () => {
      socket.send(JSON.stringify({ id: 1, method: 'Debugger.enable' }));
      socket.send(JSON.stringify({ id: 2, method: 'Debugger.pause' }));
    });
    socket.on('message', (data: Buffer) => {
      const { method, params } = JSON.parse(data.toString()) as Told;
      if (method === 'Debugger.scriptParsed') scripts.set(params?.scriptId ?? '', params?.url ?? '');
      if (method !== 'Debugger.paused') return;
      const frames = params?.callFrames ?? [];
      resolve(
        frames.map(
          ({ functionName, location }) =>
            `${functionName || '(anonymous)'} ${scripts.get(location.scriptId) ?? ''}:${location.lineNumber + 1}`,
        ),
      );
    });
  });
}
