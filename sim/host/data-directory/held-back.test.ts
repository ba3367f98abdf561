import { describe, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse, ResponseStream } from '../../apiserver/request/request.ts';
import { QueryParameters } from '../../apiserver/request/request.ts';
import { Defects } from '../defects.ts';
import { heldBack } from './held-back.ts';
import { SyncGate } from './sync-gate.ts';

const REQUEST: ApiRequest = {
  method: 'GET',
  path: '/',
  query: QueryParameters.parse(''),
  headers: {},
  wire: true,
};
const NOTHING: ApiResponse = { status: 200, headers: [], body: { kind: 'none' } };
const defects = new Defects((error) => {
  throw error;
});

/** A gate whose turns end, and whose syncs are done, when it is told. */
function gated() {
  const turns: (() => void)[] = [];
  const syncs: (() => void)[] = [];
  const gate = new SyncGate({ sync: (done) => syncs.push(done), later: (work) => turns.push(work) });
  return {
    gate,
    endTurn: () => turns.splice(0).forEach((work) => work()),
    finishSync: () => syncs.splice(0).forEach((done) => done()),
    syncs,
  };
}

describe('answers of a server that syncs', () => {
  test('leave at once when nothing was written, and after the sync of all writes of the turn otherwise', () => {
    const { gate, endTurn, finishSync, syncs } = gated();
    const answered: string[] = [];
    const ask = (name: string): void =>
      heldBack(gate, (_request, respond) => respond(NOTHING), defects)(
        REQUEST,
        () => answered.push(name),
        () => undefined,
      );
    ask('before');
    expect(answered).toEqual(['before']);
    gate.noteWrite();
    ask('write');
    gate.noteWrite();
    ask('another write');
    endTurn();
    gate.noteWrite();
    ask('write during the sync');
    expect([answered, syncs.length]).toEqual([['before'], 1]);
    finishSync();
    expect(answered).toEqual(['before', 'write', 'another write']);
    endTurn();
    finishSync();
    expect(answered).toHaveLength(4);
  });

  test('that are watches tell nothing that is not on disk, and go on while others write', () => {
    const { gate, endTurn, finishSync } = gated();
    const pieces: Uint8Array[] = [];
    const stream: ResponseStream = {
      subscribe: () => undefined,
      read: () => pieces.shift(),
      ended: false,
      close: () => undefined,
    };
    let held: ResponseStream | undefined;
    const response: ApiResponse = { ...NOTHING, body: { kind: 'stream', stream } };
    heldBack(gate, (_request, respond) => respond(response), defects)(
      REQUEST,
      ({ body }) => {
        held = body.kind === 'stream' ? body.stream : undefined;
      },
      () => undefined,
    );
    let calls = 0;
    held?.subscribe(() => (calls += 1));
    gate.noteWrite();
    pieces.push(Buffer.from('event'));
    endTurn();
    expect(held?.read()).toBeUndefined();
    gate.noteWrite();
    finishSync();
    expect(calls).toBe(1);
    expect(held?.read()).toEqual(Buffer.from('event'));
  });
});
