import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import { DataDirectory, type Fsync } from './data-directory.ts';
import { DataDirectoryError } from './file-layer.ts';
import { openDataDirectory, type OpenDataDirectory } from './open-data-directory.ts';
import { RealFiles } from './real-files.ts';

let directory: string;
let notices: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'data-directory-'));
  notices = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

const options = {
  onNotice: (line: string): void => void notices.push(line),
  onLost: (error: Error): void => {
    throw error;
  },
};
/** As a process does that is killed later: the files are never closed. */
const open = ({
  fsync = 'always',
  ...more
}: { readonly fsync?: Fsync; readonly maxLogBytes?: number } = {}): DataDirectory =>
  new DataDirectory(new RealFiles(directory), {
    ...options,
    fsync,
    nowMs: () => 0,
    later: (work) => void setImmediate(work),
    ...more,
  });
const openLocked = (): OpenDataDirectory => openDataDirectory(directory, { ...options, fsync: 'always' });

const object = (name: string): StoredObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

function put({ storage }: Pick<DataDirectory, 'storage'>, key: string, leaseId?: number): void {
  storage.transact({
    compare: [],
    success: [{ kind: 'put', key, value: () => object(key), ...(leaseId !== undefined && { leaseId }) }],
  });
}

const keys = ({ storage }: Pick<DataDirectory, 'storage'>): readonly string[] =>
  storage.range({ prefix: '' }).entries.map(({ key }) => key);
const file = (start: string): string =>
  join(directory, readdirSync(directory).find((name) => name.startsWith(start)) ?? '');

describe('a data directory', () => {
  test('keeps what was written by a process that was killed', () => {
    const first = open();
    put(first, '/a');
    put(first, '/b', first.storage.grantLease(5_000));
    const { revision } = first.storage;
    const second = open();
    expect(keys(second)).toEqual(['/a', '/b']);
    expect(second.storage.revision).toBe(revision);
    expect(second.storage.nextLeaseExpiry).toBe(5_000);
  });

  test('drops a torn last record and nothing else, and says so', () => {
    put(open(), '/a');
    const { size } = statSync(file('log-'));
    appendFileSync(file('log-'), '1234abcd ["commit",3,["pu');
    const journal = open();
    expect(notices).toEqual([`log-1: dropped 25 bytes after byte ${size}, which were not written whole`]);
    expect(keys(journal)).toEqual(['/a']);
    put(journal, '/b');
    expect(keys(open())).toEqual(['/a', '/b']);
  });

  test('turns a long log into a snapshot', () => {
    const journal = open({ maxLogBytes: 500 });
    for (let index = 0; index < 20; index += 1) put(journal, `/key-${String(index).padStart(2, '0')}`);
    expect(readdirSync(directory).filter((name) => name.startsWith('snapshot-'))).toHaveLength(1);
    expect(readFileSync(file('log-')).length).toBeLessThan(900);
    expect(keys(open())).toHaveLength(20);
  });

  test('is closed to everybody but its owner', () => {
    put(open(), '/a');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory))
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });
});

describe('a data directory that is damaged', () => {
  const damages: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'a log without an early record',
      () => spoil('log-', '"/a"', '"/x"'),
      /^log-\d+ is damaged at byte \d+$/,
    ],
    ['a snapshot with a wrong byte', () => spoil('snapshot-', '"/0"', '"/x"'), /^snapshot-\d+ is damaged at/],
    ['a snapshot without its end', () => spoil('snapshot-', /[^\n]*\n$/, ''), /^snapshot-\d+ is not whole$/],
    ['no log', () => rmSync(file('log-')), /^log-\d+ is missing$/],
    ['an empty log', () => writeFileSync(file('log-'), ''), /^log-\d+ has no beginning$/],
    ['no snapshot', () => rmSync(file('snapshot-')), /^snapshot-\d+ is missing$/],
    ['no manifest', () => rmSync(file('manifest')), /^the manifest is missing, but there is /],
    ['an empty manifest', () => writeFileSync(file('manifest'), ''), /^the manifest is damaged$/],
    ['a log that is a link', () => linkAway('log-'), /ELOOP/],
  ];

  function spoil(start: string, text: string | RegExp, instead: string): void {
    writeFileSync(file(start), readFileSync(file(start), 'utf8').replace(text, instead));
  }

  function linkAway(start: string): void {
    const path = file(start);
    renameSync(path, join(directory, 'elsewhere'));
    symlinkSync('elsewhere', path);
  }

  test.each(damages)('is refused as it is: %s', (_name, damage, message) => {
    const journal = open({ maxLogBytes: 300 });
    for (const key of ['/0', '/1', '/2', '/3', '/a', '/b']) put(journal, key);
    const last = open();
    put(last, '/a');
    put(last, '/b');
    damage();
    const before = readdirSync(directory);
    expect(() => open()).toThrow(message);
    expect(readdirSync(directory)).toEqual(before);
  });
});

describe('the lock of a data directory', () => {
  test('refuses a second owner, in this process and in others', () => {
    const first = openLocked();
    expect(() => openLocked()).toThrow(DataDirectoryError);
    first.close();
    openLocked().close();
  });

  test('counts for nothing once its owner is gone, even if another process has its number', () => {
    openLocked().close();
    const lock = file('lock-');
    const [pid = '', boot = '', start = ''] = readlinkSync(lock).split(' ');
    const otherwise = [
      `${process.ppid} ${boot} ${start}`,
      `${pid} another-boot ${start}`,
      `999999999 ${boot} 1`,
    ];
    for (const text of otherwise) {
      const last = file('lock-');
      rmSync(last);
      symlinkSync(text, last);
      openLocked().close();
    }
    expect(readdirSync(directory).filter((name) => name.startsWith('lock-'))).toEqual(['lock-4']);
  });
});
