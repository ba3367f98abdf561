import { describe, expect, it } from 'vitest';
import { Disk, type DiskFile, DiskFullError, OF_ROOT } from './disk.ts';

const file = (length: number): DiskFile => ({ bytes: new Uint8Array(length), mode: 0o600, owner: OF_ROOT });

describe('a disk', () => {
  it('takes what fits, and replaces what was there', () => {
    const disk = new Disk({ capacityBytes: 10 });
    disk.write('/a', file(8));
    disk.write('/a', file(10));
    expect(disk.availableBytes).toBe(0);
    expect(() => disk.write('/b', file(1))).toThrow(DiskFullError);
    expect(disk.read('/b')).toBeUndefined();
    expect(disk.read('/a')?.bytes).toHaveLength(10);
  });

  it('keeps no more than so many bytes, however large it is', () => {
    const disk = new Disk({ capacityBytes: 2 ** 40 });
    const large = file(2 ** 20);
    for (let part = 0; part < 256; part++) disk.write(`/${part}`, large);
    expect(() => disk.write('/more', file(1))).toThrow(DiskFullError);
    disk.write('/more', { ...file(0), sizeBytes: 2 ** 30 });
    disk.rename('/1', '/2');
    disk.write('/more', large);
    disk.remove('/3');
    disk.write('/0', file(2 ** 21));
    expect(() => disk.write('/4', file(2 ** 20 + 1))).toThrow(DiskFullError);
  });

  it('moves a file over another in one step', () => {
    const disk = new Disk({ capacityBytes: 10 });
    disk.write('/a', file(4));
    disk.write('/b', file(5));
    expect(disk.rename('/a', '/b')).toBe(true);
    expect(disk.rename('/a', '/b')).toBe(false);
    expect(disk.list('/')).toEqual(['/b']);
    expect(disk.availableBytes).toBe(6);
  });

  it('is full while it is filled, and empty once it is wiped', () => {
    const disk = new Disk({ capacityBytes: 10 });
    disk.write('/var/x', file(4));
    disk.setFull(true);
    expect(() => disk.write('/var/y', file(1))).toThrow('write /var/y: no space left on device');
    disk.remove('/var/x');
    disk.write('/var/y', file(4));
    disk.setFull(false);
    expect(disk.availableBytes).toBe(6);
    disk.wipe();
    expect(disk.availableBytes).toBe(10);
    expect(disk.list('/')).toEqual([]);
  });
});
