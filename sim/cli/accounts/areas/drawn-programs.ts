/**
 * What programs do in a container: drawn scripts, each in a fresh one, and drawn commands one after the other in the same,
 * so that the next finds what the last has left.
 */
import fc from 'fast-check';
import type { Context } from '../../../engine/context.ts';
import type { Process } from '../../../engine/process.ts';
import { Simulation } from '../../../engine/simulation.ts';
import { runCommand } from '../../../node/runtime/container-commands.ts';
import { ContainerRuntime, type RuntimeContainer } from '../../../node/runtime/container-runtime.ts';
import { shellScript } from '../../../node/shell/script.arbitrary.ts';
import { Random } from '../../verify/generate/random.ts';
import type { Told } from '../told.ts';

const SCRIPTS = 700;
const CONTAINERS = 50;
const COMMANDS = 30;
const BY_CHANCE = /[0-9a-f]{64}/g;
const MEMORY = 64 * 1024 ** 2;

class Inside {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #user = this.#simulation.actor('user');
  readonly #runtime = new ContainerRuntime();
  readonly #container: RuntimeContainer;

  constructor() {
    const { context } = this.#simulation.actor('node');
    this.#container = this.#runtime.start(
      context,
      {
        podUid: 'u',
        podName: 'web',
        podNamespace: 'default',
        name: 'main',
        image: 'nginx:1',
        command: [],
        environment: ['COLOUR=red', 'EMPTY=', 'PATH=/usr/bin'],
        restartCount: 0,
        behaviour: {
          memoryBytes: MEMORY,
          memory: { count: 3 },
          files: { '/etc/app/conf': 'a=1\nb=2\nA=3\n', '/srv/x': 'x', '/srv/deep/y': 'y\n' },
          exec: { 'psql -l': { stdout: 'orders\n', seconds: 3 }, broken: { stderr: 'no\n', exitCode: 4 } },
        },
      },
      0,
    );
  }

  run(words: readonly string[], typed: readonly string[] = []): readonly unknown[] {
    try {
      return this.#simulation.finish(this.#user.spawn('say', (context) => this.#said(context, words, typed)));
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }

  *#said(context: Context, words: readonly string[], typed: readonly string[]): Process<readonly unknown[]> {
    const [out, errors]: [Uint8Array[], string[]] = [[], []];
    const input = typed.map((each) => new TextEncoder().encode(each));
    const container = this.#container;
    const runtime = this.#runtime;
    const end = yield* runCommand(
      words,
      {
        write: (piece) => void out.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece),
        writeError: (text) => void errors.push(text),
        *read() {
          return input.shift();
        },
      },
      { context, container, runtime, process: () => runtime.processOf(container, context.now() / 1_000) },
    );
    const told = end.kind === 'exited' ? end : { ...end, message: end.message.replace(BY_CHANCE, 'id') };
    return [
      told,
      Buffer.concat(out).toString('latin1'),
      errors.join('').replace(BY_CHANCE, 'id'),
      context.now(),
    ];
  }
}

export function* drawnScripts(): Generator<Told> {
  for (const [index, script] of fc.sample(shellScript, { seed: 51, numRuns: SCRIPTS }).entries()) {
    const text = `${index % 2 === 0 ? 'set -e; ' : ''}n=3; m=5\n${script}`;
    yield { name: text, said: new Inside().run(['sh', '-c', text, 'sh', 'x', 'y z']) };
  }
}

const PLACES = [
  '/etc/app/conf',
  '/srv/x',
  '/srv',
  '/srv/deep/',
  '/tmp/a',
  '/tmp/b',
  'a',
  '/none',
  '../etc/app',
  '/',
];
const TEXTS = ['one\ntwo\nthree\n', 'ONE two', '', 'a b\tc\n\nd', 'x=1\ny=2\n'];
const PATTERNS = ['o', 'a=', '^O', 't$', 'x|y', '.', '[ab]', 'none', '('];

/** `@` stands for a place, `#` for a number, `%` for a pattern. */
const COMMANDS_OF_ALL = [
  ...[
    'cat @',
    'cat @ @',
    'cat',
    'ls @',
    'ls',
    'ls -l @',
    'ls -a @ @',
    'tee @',
    'tee -a @ @',
    'rm @',
    'rm -f @',
  ],
  ...[
    'rm -rf @',
    'mv @ @',
    'mv -v @ @',
    'cp @ @',
    'touch @',
    'touch @ @',
    'mkdir @',
    'mkdir -p @',
    'pwd',
    'env',
  ],
  ...[
    'printenv',
    'printenv COLOUR',
    'printenv NONE COLOUR',
    'echo @',
    'echo -n a b',
    'echo -e a\\tb',
    'true',
    'false',
  ],
  ...[
    'grep % @',
    'grep -i % @',
    'grep -v %',
    'grep -q % @',
    'grep -E % @',
    'grep -F % @ @',
    'grep',
    'wc',
    'wc -l @',
  ],
  ...[
    'head @',
    'head -n # @',
    'tail @',
    'tail -n # @',
    'sleep #',
    'sleep a',
    'date',
    'hostname',
    'id',
    'whoami',
    'ps',
  ],
  ...[
    'tar cf - @',
    'tar czf - @ @',
    'tar xf -',
    'tar -cf - -C @ a',
    'tar xmf - -C @',
    'tar tf -',
    'stat @',
    'df',
    'free',
  ],
  ...[
    'curl http://web',
    'curl -s http://web:81/a',
    'curl -sS -o @ http://none',
    'curl -f http://web/none',
    'curl',
  ],
  ...[
    'wget -qO- http://web',
    'wget http://none -O @',
    'nc -z web 80',
    'nc -w # web 81',
    'nc web a',
    'nslookup web',
  ],
  ...[
    'psql -l',
    'psql',
    'broken',
    '@',
    'vim',
    'seq #',
    'sort @',
    'uniq @',
    'cut -d= -f1 @',
    'test -f @',
    'test -d @',
  ],
  ...[
    '[ -e @ ]',
    '[ -s @ ]',
    'kill 1',
    'kill -9 1',
    'set',
    'sed s/o/0/ @',
    'basename @',
    'dirname @',
    'xargs echo',
  ],
  ...[
    'printf %s\\n a b',
    'expr # + #',
    'sh',
    'sh -c',
    'bash -c',
    '/bin/sh -c true',
    'nginx -v',
    'memory',
    'ulimit',
  ],
];
const SCRIPTS_OF_ALL = [
  'cat @ | grep % && echo there || echo none',
  'echo a > @; cat @; echo b >> @; cat < @',
  'for f in @ @; do if [ -f $f ]; then wc -l $f; else echo no $f; fi; done',
  'cat @ 2>&1 | wc -l',
  'while read a b; do echo "$b $a"; done < @',
  'x=$(cat @); echo "${x:-none}" > @ 2>/dev/null',
  'sleep # & echo $?; wait',
  'trap "echo bye" EXIT; exit #',
  'echo $COLOUR $EMPTY $NONE $HOSTNAME; export X=#; env | grep X',
  'cd @ && pwd; ls',
];

export function* drawnCommands(): Generator<Told> {
  for (let index = 0; index < CONTAINERS; index++) {
    const random = new Random('programs', index);
    const inside = new Inside();
    const lines = Array.from({ length: COMMANDS }, () => {
      const isScript = random.chance(25);
      const text = filledIn(random.pick(isScript ? SCRIPTS_OF_ALL : COMMANDS_OF_ALL), random);
      const words = isScript ? ['sh', '-c', text] : text.split(' ');
      return [text, ...inside.run(words, random.chance(50) ? [random.pick(TEXTS), random.pick(TEXTS)] : [])];
    });
    yield { name: `container ${index}`, said: lines };
  }
}

const filledIn = (text: string, random: Random): string =>
  text
    .replaceAll('@', () => random.pick(PLACES))
    .replaceAll('#', () => String(random.below(5)))
    .replaceAll(/%(?!s)/g, () => random.pick(PATTERNS));
