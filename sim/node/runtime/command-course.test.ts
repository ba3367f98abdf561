import { describe, expect, it } from 'vitest';
import { courseOf, courseOfContainer } from './command-course.ts';
import type { CourseFiles } from './course.ts';

const shell = (script: string) => courseOf(['sh', '-c', script], { environment: ['COLOUR=red'] });

describe('a container by its command', () => {
  it('prints and ends', () => {
    expect(shell('echo hi; exit 3')).toEqual({
      logs: [{ text: 'hi', afterSeconds: 0 }],
      runsForSeconds: 0,
      exitCode: 3,
    });
    expect(shell('a="$COLOUR 1"; sleep 2m && echo $a; false || echo b')).toEqual({
      logs: [
        { text: 'red 1', afterSeconds: 120 },
        { text: 'b', afterSeconds: 120 },
      ],
      runsForSeconds: 120,
      exitCode: 0,
    });
    expect(courseOf(['sleep', '30'])).toEqual({ logs: [], runsForSeconds: 30, exitCode: 0 });
    expect(courseOf(['/bin/false'])).toMatchObject({ exitCode: 1 });
  });

  it('goes round', () => {
    expect(shell('for i in 1 2; do echo $i; sleep 1; done; [ -n "$i" ] && exit 4')).toEqual({
      logs: [
        { text: '1', afterSeconds: 0 },
        { text: '2', afterSeconds: 1 },
      ],
      runsForSeconds: 2,
      exitCode: 4,
    });
    expect(shell('i=0; while [ $i -lt 3 ]; do i=$((i + 1)); printf "%s " $i; done; echo; false')).toEqual({
      logs: [{ text: '1 2 3 ', afterSeconds: 0 }],
      runsForSeconds: 0,
      exitCode: 1,
    });
    expect(
      courseOf(['sh', '-ec', 'set -- a a a; while [ $# -gt 0 ]; do sleep 1; shift; done; false; echo no']),
    ).toEqual({
      logs: [],
      runsForSeconds: 3,
      exitCode: 1,
    });
  });

  it('does for ever what it does again and again', () => {
    const entry = { text: 'tick', everySeconds: 5 };
    expect(
      shell('echo begins; sleep 1; while true; do echo tick; sleep 2; echo tock >&2; sleep 3; done'),
    ).toEqual({
      logs: [
        { text: 'begins', afterSeconds: 0 },
        { text: 'tick', afterSeconds: 1 },
        { text: 'tock', afterSeconds: 3, stream: 'stderr' },
        { ...entry, afterSeconds: 6 },
        { text: 'tock', afterSeconds: 8, everySeconds: 5, stream: 'stderr' },
      ],
    });
    expect(shell('while true; do :; done')).toEqual({ logs: [] });
    expect(shell('trap : TERM; while :; do sleep 1; done')).toEqual({ logs: [] });
    expect(courseOf(['sleep', 'infinity'])).toEqual({ logs: [] });
    const counting = shell('i=0; while true; do i=$((i+1)); echo $i; sleep 1; done');
    expect(counting?.logs.slice(0, 2)).toEqual([
      { text: '1', afterSeconds: 0 },
      { text: '2', afterSeconds: 1 },
    ]);
    expect(counting).not.toHaveProperty('runsForSeconds');
  });

  it.each(['nginx', 'echo a | cat', 'echo "a'])('just runs when not all of %j is known', (script) => {
    expect(shell(script)).toBeUndefined();
    expect(courseOf([script])).toBeUndefined();
  });

  it.each(['while true; do date; sleep 1; done', 'sleep 1; echo a > /tmp/b', 'sleep 1; cat /tmp/b'])(
    'has to run for one to know what comes of %j',
    (script) => {
      const words = ['sh', '-c', script];
      expect(courseOf(words, { isShellImage: true })).toEqual({ isOpen: true, logs: [] });
      expect(courseOf(words)).toBeUndefined();
    },
  );

  it('runs what asks others, whatever else it begins with that one knows', () => {
    const script = 'for i in $(seq 1 3); do dig web; done';
    expect(shell(script)).toEqual({ isOpen: true, logs: [] });
    expect(shell(`vim; ${script}`)).toBeUndefined();
    expect(shell('seq 1 3')).toBeUndefined();
  });

  it('leads what programs write to where the shell says, and follows a file for ever', () => {
    expect(shell('/bin/echo -n a > /tmp/x; cat /tmp/x')?.logs).toEqual([
      { text: 'a', afterSeconds: 0, isPartial: true },
    ]);
    expect(shell('tail -f /dev/null')).toEqual({ logs: [] });
  });

  it('leaves a last line without an end', () => {
    expect(shell('echo a; echo -n b; echo -n c >&2')?.logs).toEqual([
      { text: 'a', afterSeconds: 0 },
      { text: 'b', afterSeconds: 0, isPartial: true },
      { text: 'c', afterSeconds: 0, isPartial: true, stream: 'stderr' },
    ]);
  });

  it('complains of files that it may not write, and goes on', () => {
    const files: CourseFiles = {
      at: () => undefined,
      knows: () => true,
      isDirectory: () => false,
      isReadOnly: (path) => !path.startsWith('/dev/'),
      mayRead: () => true,
    };
    const words = ['/bin/sh', '-c', 'echo a > /file || echo $?; echo b > /dev/x; cat /dev/x'];
    expect(courseOf(words, { files, isBusyBox: true })).toEqual({
      logs: [
        { text: "/bin/sh: can't create /file: Read-only file system", afterSeconds: 0, stream: 'stderr' },
        { text: '2', afterSeconds: 0 },
        { text: 'b', afterSeconds: 0 },
      ],
      runsForSeconds: 0,
      exitCode: 0,
      writes: new Map([['/dev/x', new TextEncoder().encode('b\n')]]),
    });
    expect(courseOf(words, { files })?.logs[0]?.text).toBe(
      '/bin/sh: 1: cannot create /file: Read-only file system',
    );
  });

  it('does what its behaviour says, if that says anything of it', () => {
    const words = ['sh', '-c', 'echo hi'];
    expect(courseOfContainer({ runsForSeconds: 5 }, words, {})).toBeUndefined();
    expect(courseOfContainer({ readyAfterSeconds: 5 }, words, {})).toMatchObject({
      runsForSeconds: 0,
    });
    expect(courseOfContainer({}, [], {})).toBeUndefined();
  });

  it('finds files and leaves some, where it is known what is there', () => {
    const TEXT = new TextEncoder();
    const files: CourseFiles = {
      at: (path) => (path === '/data/old' ? TEXT.encode('old\n') : undefined),
      knows: (path) => path.startsWith('/data/'),
      isDirectory: (path) => path === '/data',
      isReadOnly: () => false,
      mayRead: () => true,
    };
    const at = (script: string) => courseOf(['sh', '-c', script], { files });
    const once = (name: string): string =>
      `if [[ -r /data/${name} ]]; then exit 0; else touch /data/${name}; exit 1; fi`;
    expect(at(once('new'))).toMatchObject({
      exitCode: 1,
      writes: new Map([['/data/new', new Uint8Array()]]),
    });
    expect(at(once('old'))).toEqual({ logs: [], runsForSeconds: 0, exitCode: 0 });
    expect(courseOf(['env'], { environment: ['A=1'], hostname: 'p' })?.logs.map(({ text }) => text)).toEqual([
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'HOSTNAME=p',
      'A=1',
      'HOME=/root',
    ]);
    expect(at('cat /data/old; echo a > /data/b; cat /data/b')?.logs.map(({ text }) => text)).toEqual([
      'old',
      'a',
    ]);
    expect(at('[ -e /data/old ] && [[ ! -f /data/none ]]')).toMatchObject({ exitCode: 0 });
    expect(at('[ -e /data ] && [ -d /data ] && ! [ -f /data ]')).toMatchObject({ exitCode: 0 });
    expect(at('test -e /data && find /data -delete')).toEqual({ isOpen: true, logs: [] });
  });

  it.each([
    'cat /etc/os-release',
    'cat /data/none',
    'test -d /data',
    '[[ a == b* ]] || exit 1',
    '[[ a && b ]] || exit 1',
    '[[ $nothing == b ]] || exit 1',
  ])('knows nothing of %j', (script) => {
    const files: CourseFiles = {
      at: () => undefined,
      knows: (path) => path.startsWith('/data/'),
      isDirectory: () => false,
      isReadOnly: () => false,
      mayRead: () => true,
    };
    expect(courseOf(['sh', '-c', script], { files })).toBeUndefined();
  });
});
