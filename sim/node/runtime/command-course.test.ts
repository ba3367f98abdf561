import { describe, expect, it } from 'vitest';
import { courseOf, withCommand } from './command-course.ts';

const shell = (script: string) => courseOf(['sh', '-c', script], ['COLOUR=red']);

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
    expect(courseOf(['sleep', '30'], [])).toEqual({ logs: [], runsForSeconds: 30, exitCode: 0 });
    expect(courseOf(['/bin/false'], [])).toMatchObject({ exitCode: 1 });
  });

  it.each([
    'nginx',
    'while true; do sleep 1; done',
    'echo a | cat',
    'sleep infinity',
    'echo -e a',
    'echo "a',
  ])('just runs when not all of %j is known', (script) => {
    expect(shell(script)).toBeUndefined();
    expect(courseOf([script], [])).toBeUndefined();
  });

  it('does what its behaviour says, if that says anything of it', () => {
    const words = ['sh', '-c', 'echo hi'];
    expect(withCommand({ runsForSeconds: 5 }, words, [])).toEqual({ runsForSeconds: 5 });
    expect(withCommand({ readyAfterSeconds: 5 }, words, [])).toMatchObject({
      readyAfterSeconds: 5,
      runsForSeconds: 0,
    });
    expect(withCommand({}, [], [])).toEqual({});
  });
});
