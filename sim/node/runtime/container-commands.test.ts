import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { Simulation } from '../../engine/simulation.ts';
import { type CommandEnd, runCommand } from './container-commands.ts';
import { ContainerRuntime, type RuntimeContainer } from './container-runtime.ts';
import type { ProcessState } from './process-memory.ts';
import { packTar, unpackTar } from './tar-archive.ts';
import type { WorkloadBehaviour } from './workload-behaviour.ts';

interface Said {
  readonly end: CommandEnd;
  readonly out: Uint8Array;
  readonly text: string;
  readonly errors: string;
}

/** A container, and a way to run commands in it. */
function inContainer(behaviour: WorkloadBehaviour = {}, restored?: ProcessState) {
  const simulation = new Simulation({ seed: 1 });
  const { context } = simulation.actor('node');
  const runtime = new ContainerRuntime();
  const spec = {
    podUid: 'u',
    podName: 'web',
    podNamespace: 'default',
    name: 'main',
    image: 'app:1',
    command: [],
    environment: ['COLOUR=red'],
    restartCount: 0,
    behaviour,
    ...(restored && { restored }),
  };
  const container = runtime.start(context, spec, 0);
  const user = simulation.actor('user');
  const say = (words: readonly string[], ...typed: readonly (string | Uint8Array)[]): Said =>
    simulation.finish(user.spawn('say', (own) => sayIn(own, { runtime, container, words, typed })));
  return { say, runtime, container };
}

interface Saying {
  readonly runtime: ContainerRuntime;
  readonly container: RuntimeContainer;
  readonly words: readonly string[];
  readonly typed: readonly (string | Uint8Array)[];
}

function* sayIn(context: Context, { runtime, container, words, typed }: Saying): Process<Said> {
  const [out, errors]: [Uint8Array[], string[]] = [[], []];
  const input = typed.map((each) => (typeof each === 'string' ? new TextEncoder().encode(each) : each));
  const end = yield* runCommand(
    words,
    {
      write: (output) =>
        void out.push(typeof output === 'string' ? new TextEncoder().encode(output) : output),
      writeError: (text) => void errors.push(text),
      *read() {
        return input.shift();
      },
    },
    { context, container, runtime, process: () => runtime.processOf(container, 0) },
  );
  const bytes = new Uint8Array(out.flatMap((piece) => [...piece]));
  return { end, out: bytes, text: new TextDecoder().decode(bytes), errors: errors.join('') };
}

const exited = (exitCode: number): CommandEnd => ({ kind: 'exited', exitCode });

describe('commands about files', () => {
  const files = { '/etc/app/conf': 'a=1\n', '/srv/x': 'x' };

  it('read what the behaviour has, and what others wrote', () => {
    const { say } = inContainer({ files });
    expect(say(['cat', '/etc/app/../app/./conf']).text).toBe('a=1\n');
    expect(say(['tee', '/tmp/note'], 'he', 'llo').text).toBe('hello');
    expect(say(['cat', '/tmp/note']).text).toBe('hello');
    expect(say(['ls', '/etc']).text).toBe('app\nhostname\n');
    expect(say(['cat', '/nowhere'])).toMatchObject({
      end: exited(1),
      errors: 'cat: /nowhere: No such file or directory\n',
    });
  });

  it('tell files from directories', () => {
    const { say } = inContainer({ files });
    const outcomes = ['-f', '-d', '-e'].map((operator) =>
      ['/srv/x', '/srv', '/tmp', '/nope'].map((path) => say(['test', operator, path]).end),
    );
    expect(outcomes).toEqual([
      [exited(0), exited(1), exited(1), exited(1)],
      [exited(1), exited(0), exited(0), exited(1)],
      [exited(0), exited(0), exited(0), exited(1)],
    ]);
  });

  it('copy bytes as they are, however they come', () => {
    const { say } = inContainer();
    const bytes = new TextEncoder().encode('äöü€');
    expect(say(['cat'], bytes.subarray(0, 3), bytes.subarray(3)).out).toEqual(bytes);
  });

  it('pack and unpack archives, as kubectl cp wants them', () => {
    const { say } = inContainer({ files });
    expect(unpackTar(say(['tar', 'cf', '-', '/etc/app']).out)?.map(({ name }) => name)).toEqual([
      'etc/app/conf',
    ]);
    expect(unpackTar(say(['tar', 'cf', '-', '-C', '/etc', 'app']).out)?.map(({ name }) => name)).toEqual([
      'app/conf',
    ]);
    const archive = packTar([{ name: 'a/b', bytes: new Uint8Array([0, 255]), mode: 0o644 }], 0);
    expect(
      say(['tar', '-xmf', '-', '-C', '/tmp'], archive.subarray(0, 600), archive.subarray(600)).end,
    ).toEqual(exited(0));
    expect(say(['cat', '/tmp/a/b']).out).toEqual(new Uint8Array([0, 255]));
    expect(say(['tar', 'xf', '-'], 'no archive').end).toEqual(exited(2));
    expect(say(['tar', 'cf', '-', '/nope']).errors).toContain('Cannot stat');
    expect(say(['tar', '--no-same-owner', '-xmf', '-', '-C', '/opt'], archive).end).toEqual(exited(0));
    expect(say(['tar', 'tf', '-'], archive)).toMatchObject({
      end: exited(2),
      errors: 'not modelled: tar tf -\n',
    });
  });

  it('copy any bytes, packed, as text, from a place on, and through pipes and redirections', () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) & 0xff);
    const { say } = inContainer({ files });
    say(['tee', '/tmp/any'], bytes);
    const read = (script: string): Uint8Array => say(['sh', '-c', script]).out;
    expect(read('cat /tmp/any | tail -c+3')).toEqual(bytes.subarray(2));
    expect(read('tail -c 3 < /tmp/any')).toEqual(bytes.subarray(-3));
    expect(read('head -c 3 /tmp/any')).toEqual(bytes.subarray(0, 3));
    expect(say(['sh', '-c', 'wc -c < /tmp/any']).text).toBe('70000\n');
    const text = say(['sh', '-c', 'cat /tmp/any | base64']).text;
    expect(text.split('\n')[0]).toHaveLength(76);
    expect(Buffer.from(text, 'base64')).toEqual(Buffer.from(bytes));
    expect(say(['base64', '-w0', '/etc/app/conf']).text).toBe('YT0xCg==');
    expect(say(['base64', '-d'], text).out).toEqual(bytes);
    expect(say(['base64', '-w', 'x'], 'a')).toMatchObject({
      end: exited(1),
      errors: "base64: invalid wrap size: 'x'\n",
    });
    expect(say(['base64', '-d'], '?')).toMatchObject({ end: exited(1), errors: 'base64: invalid input\n' });
    const packed = new Uint8Array(gunzipSync(read('tar cz - /tmp/any | cat')));
    expect(unpackTar(packed)).toEqual([{ name: 'tmp/any', bytes, mode: 0o644 }]);
    expect(read('tar -C /tmp -cf /tmp/x.tar any; tar -C /opt -xmf /tmp/x.tar; cat /opt/any')).toEqual(bytes);
    expect(say(['tar', '--version']).text).toContain('tar');
  });

  it('make directories, show them, and take them away with all that is in them', () => {
    const { say } = inContainer({ files });
    expect(say(['mkdir', '/tmp/a/b'])).toMatchObject({
      end: exited(1),
      errors: "mkdir: cannot create directory '/tmp/a/b': No such file or directory\n",
    });
    expect(say(['mkdir', '-p', '/tmp/a/b', '/srv']).end).toEqual(exited(0));
    expect(say(['mkdir', '/tmp/a']).errors).toContain('File exists');
    expect(say(['mkdir', '-p', '/srv/x']).errors).toContain('File exists');
    expect(say(['test', '-d', '/tmp/a/b']).end).toEqual(exited(0));
    say(['tee', '/tmp/a/c'], 'c');
    expect(say(['ls', '-F', '/tmp/a']).text).toBe('b/\nc\n');
    expect(say(['rm', '/tmp/a']).errors).toContain('Is a directory');
    expect(say(['rm', '-rf', '/tmp/a', '/tmp/nope']).end).toEqual(exited(0));
    expect(say(['test', '-e', '/tmp/a']).end).toEqual(exited(1));
    expect(say(['ls', '/tmp']).text).toBe('');
  });

  it('lose what was written with the container, and keep it through a checkpoint', () => {
    const { say, runtime, container } = inContainer();
    say(['tee', '/tmp/note'], 'kept');
    const before = runtime.processOf(container, 0);
    const { say: sayAfterwards } = inContainer({}, before);
    expect(sayAfterwards(['cat', '/tmp/note']).text).toBe('kept');
    runtime.removePod('u', 0);
    expect(runtime.written.of(container.id).size).toBe(0);
  });
});

describe('the shell of a container', () => {
  it('runs commands one after the other, as their outcomes have it', () => {
    const { say } = inContainer();
    expect(say(['sh', '-c', 'echo $COLOUR; false || echo no && true; exit 4; echo never'])).toMatchObject({
      end: exited(4),
      text: 'red\nno\n',
    });
    expect(say(['sh', '-c', 'false; echo $?']).text).toBe('1\n');
    expect(say(['sh', '-c', 'vim'])).toMatchObject({ end: exited(127), errors: 'sh: 1: vim: not found\n' });
    expect(say(['sh', '-c', 'sleep 1 & wait'])).toMatchObject({
      end: exited(2),
      errors: 'sh: 1: & is not modelled in simulated containers\n',
    });
    expect(say(['sh', '-c', 'a=1; b="$a  2" c=$COLOUR; echo "$b" $c $?']).text).toBe('1  2 red 0\n');
    expect(
      say(['sh', '-c', 'echo a | cat | cat; false | true && echo yes; false && echo b | cat']).text,
    ).toBe('a\nyes\n');
    expect(say(['sh'], 'a=1\necho $a\n').text).toBe('1\n');
  });

  it('reads and writes files', () => {
    const { say } = inContainer();
    expect(
      say(['sh', '-c', 'echo a > /tmp/x; echo b >> /tmp/x; cat < /tmp/x; cat /tmp/x | sort 2> /dev/null'])
        .text,
    ).toBe('a\nb\n');
    expect(say(['cat', '/tmp/x']).text).toBe('a\nb\n');
    expect(say(['sh', '-c', 'while read a b; do echo "$b$a"; done < /tmp/y'])).toMatchObject({
      end: exited(2),
      errors: 'sh: 1: cannot open /tmp/y: No such file\n',
    });
    expect(say(['sh', '-c', 'vim 2>&1 | cat; [ -f /tmp/x ] && [ ! -e /tmp/z ] && echo there']).text).toBe(
      'sh: 1: vim: not found\nthere\n',
    );
    say(['sh', '-c', 'printf "echo from %s\\nexit 3\\n" file > /tmp/script']);
    expect(say(['sh', '/tmp/script'])).toMatchObject({ end: exited(3), text: 'from file\n' });
  });

  it('takes commands over several lines, and what they read from the lines behind', () => {
    const { say } = inContainer();
    expect(say(['sh'], 'for i in a b\ndo echo $i\ndone\nread x\nhello\necho "got $x"\n').text).toBe(
      'a\nb\ngot hello\n',
    );
    expect(say(['sh', '-i'], 'if true\n')).toMatchObject({
      end: exited(2),
      errors: 'sh: 1: Syntax error: end of file unexpected (expecting "then")\n',
    });
  });

  it('moves, removes and makes files', () => {
    const { say } = inContainer({ files: { '/srv/page': 'hello' } });
    expect(say(['mv', '-v', '/srv/page', '/tmp/']).text).toBe("renamed '/srv/page' -> '/tmp/page'\n");
    expect(say(['cat', '/tmp/page']).text).toBe('hello');
    expect(say(['sh', '-x', '-c', 'mv -v /srv/page /tmp/ || true']).errors).toContain(
      "mv: cannot stat '/srv/page': No such file or directory",
    );
    say(['mv', '/tmp/page', '/srv/']);
    expect(say(['cat', '/srv/page']).text).toBe('hello');
    say(['mv', '/srv/page', '/srv/other']);
    expect(say(['cat', '/srv/other']).text).toBe('hello');
    expect(say(['mv', '/srv/other', '/srv/other']).errors).toBe('');
    say(['rm', '/srv/other']);
    expect(say(['rm', '/srv/other']).end).toMatchObject({ exitCode: 1 });
    expect(say(['rm', '-f', '/srv/other']).end).toMatchObject({ exitCode: 0 });
    say(['touch', '/tmp/mark']);
    expect(say(['test', '-f', '/tmp/mark']).end).toMatchObject({ exitCode: 0 });
  });

  it('breaks off what goes round at one instant without end', () => {
    expect(inContainer().say(['sh', '-c', 'while true; do :; done'])).toMatchObject({
      end: exited(2),
      errors:
        'sh: 1: a loop of more than 10000 rounds at one instant is not modelled in simulated containers\n',
    });
  });

  it('reads lines until it is told to exit, or nothing comes any more', () => {
    const { say } = inContainer();
    expect(say(['sh'], 'echo o', 'ne\necho two\nexit 3\necho three\n')).toMatchObject({
      end: exited(3),
      text: 'one\ntwo\n',
    });
    expect(say(['bash'], 'false').end).toEqual(exited(1));
  });

  it('knows no other programs', () => {
    expect(inContainer().say(['python3']).end).toMatchObject({
      kind: 'not-started',
      message: expect.stringContaining('exec: "python3": executable file not found in $PATH'),
    });
  });
});

describe('commands about the environment', () => {
  it('print all of it, or what was asked for and nothing else', () => {
    const { say } = inContainer();
    expect(say(['env']).text).toContain('HOSTNAME=web\nCOLOUR=red\n');
    expect(say(['printenv']).text).toContain('COLOUR=red\n');
    expect(say(['printenv', 'COLOUR'])).toMatchObject({ end: exited(0), text: 'red\n' });
    expect(say(['printenv', 'SHAPE', 'COLOUR'])).toMatchObject({ end: exited(1), text: 'red\n' });
  });
});
