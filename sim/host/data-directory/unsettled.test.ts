import { expect, test } from 'vitest';
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import { DataDirectory } from './data-directory.ts';
import { drawing } from './drawing.ts';
import type { OpenFile } from './file-layer.ts';
import { SimulatedDisk } from './simulated-disk.ts';

/** Has no room for what is written again to files that were there before. */
class CrowdedDisk extends SimulatedDisk {
  isCrowded = false;

  override open(name: string): OpenFile {
    const file = super.open(name);
    return {
      ...file,
      write: (bytes, position) => {
        if (this.isCrowded) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        return file.write(bytes, position);
      },
    };
  }
}

const notices: string[] = [];

const openOn = (disk: SimulatedDisk): DataDirectory =>
  new DataDirectory(disk, {
    fsync: 'always',
    onNotice: (line) => void notices.push(line),
    onLost: (error) => {
      throw error;
    },
    nowMs: () => 0,
    later: (work) => work(),
  });

function put({ storage }: DataDirectory, key: string): void {
  const object: StoredObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  storage.transact({ compare: [], success: [{ kind: 'put', key, value: () => object }] });
}

const keysOf = ({ storage }: DataDirectory): readonly string[] =>
  storage.range({ prefix: '' }).entries.map(({ key }) => key);

test('what a full disk left undone at the start is done another way when the disk fails at it afterwards', () => {
  const disk = new CrowdedDisk(drawing(1));
  put(openOn(disk), '/a');
  disk.kill();
  disk.isCrowded = true;
  const second = openOn(disk);
  disk.isCrowded = false;
  disk.expect('failedSync');
  put(second, '/b');
  expect(notices).toEqual(['a sync failed (EIO: simulated): the storage was written anew']);
  disk.losePower();
  expect(keysOf(openOn(disk))).toEqual(expect.arrayContaining(['/a']));
  expect(keysOf(second)).toEqual(['/a', '/b']);
});
