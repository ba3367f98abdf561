import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { JournalError, JournalFile } from './journal-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const object = (name: string): StoredObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

function put({ storage }: JournalFile, key: string, leaseId?: number): void {
  storage.transact({
    compare: [],
    success: [{ kind: 'put', key, value: () => object(key), ...(leaseId !== undefined && { leaseId }) }],
  });
}

const keys = ({ storage }: JournalFile): readonly string[] =>
  storage.range({ prefix: '' }).entries.map(({ key }) => key);
const logFile = (): string =>
  join(directory, readdirSync(directory).find((file) => file.startsWith('log-')) ?? '');

describe('a journal on disk', () => {
  test('keeps what was written by a process that was killed', () => {
    const first = new JournalFile(directory);
    put(first, '/a');
    put(first, '/b', first.storage.grantLease(5_000));
    const { revision } = first.storage;
    const second = new JournalFile(directory);
    expect(keys(second)).toEqual(['/a', '/b']);
    expect(second.storage.revision).toBe(revision);
    expect(second.storage.nextLeaseExpiry).toBe(5_000);
  });

  test('drops a torn last record and nothing else', () => {
    put(new JournalFile(directory), '/a');
    appendFileSync(logFile(), '1234abcd ["commit",3,["pu');
    const journal = new JournalFile(directory);
    expect(journal.droppedBytes).toBe(25);
    expect(keys(journal)).toEqual(['/a']);
    put(journal, '/b');
    expect(keys(new JournalFile(directory))).toEqual(['/a', '/b']);
  });

  test('refuses a log that is damaged before its end', () => {
    const journal = new JournalFile(directory);
    put(journal, '/a');
    put(journal, '/b');
    writeFileSync(logFile(), readFileSync(logFile(), 'utf8').replace('"/a"', '"/x"'));
    expect(() => new JournalFile(directory)).toThrow(JournalError);
  });

  test('turns a long log into a snapshot', () => {
    const journal = new JournalFile(directory, { maxLogBytes: 500 });
    for (let index = 0; index < 20; index += 1) put(journal, `/key-${String(index).padStart(2, '0')}`);
    expect(readdirSync(directory).filter((file) => file.startsWith('snapshot-'))).toHaveLength(1);
    expect(readFileSync(logFile()).length).toBeLessThan(700);
    expect(keys(new JournalFile(directory))).toHaveLength(20);
  });

  test('is not shared with another process that runs', () => {
    writeFileSync(join(directory, 'lock'), String(process.ppid));
    expect(() => new JournalFile(directory)).toThrow(/is used by process/);
  });
});
