/**
 * What drawn requests are answered: the sequences of `kubesim verify`, which real servers were asked too; it says what they
 * answer.
 */
import type { GoldenCase } from '../../../model/golden/replay/golden-case.ts';
import { normalise } from '../../../model/golden/replay/normalise.ts';
import { runCase } from '../../../model/golden/replay/run-case.ts';
import { findRelease } from '../../api/release/releases.ts';
import { VirtualServer, type VirtualServerOptions } from '../golden/virtual-server.ts';
import { AREAS, drawCase } from '../verify/generate/draw-case.ts';
import { Random } from '../verify/generate/random.ts';
import { drawAdmission } from './areas/draw-admission.ts';
import { drawDocuments } from './areas/draw-documents.ts';
import { drawServices } from './areas/draw-services.ts';
import { Onlooker } from './onlooker.ts';
import type { Told } from './told.ts';

/** Of the sequences; fidelity was measured with others. */
const SEED = 51;
const ADMIN = { authorization: 'Bearer admin-token' };

interface Setting {
  readonly name: string;
  readonly count: number;
  readonly options: () => VirtualServerOptions;
}

const SETTINGS: readonly Setting[] = [
  { name: '1.31', count: 240, options: () => ({}) },
  { name: '1.21', count: 20, options: () => ({ release: findRelease('1.21') }) },
  { name: '1.36', count: 30, options: () => ({ release: findRelease('1.36') }) },
  {
    name: 'alpha',
    count: 30,
    options: () => ({ featureGates: 'AllAlpha=true,WatchList=true', runtimeConfig: 'api/all=true' }),
  },
];

export interface Asked extends Setting {
  readonly title: string;
  readonly draw: (index: number) => GoldenCase;
}

/** Areas that real servers were not asked in, and how many sequences of each hundred. */
const OWN_AREAS = {
  admission: { draw: drawAdmission, share: 60 },
  documents: { draw: drawDocuments, share: 12 },
  services: { draw: drawServices, share: 25 },
} as const;

export const ASKED: readonly Asked[] = SETTINGS.flatMap((setting) => [
  ...AREAS.filter((area) => area !== 'machinery').map((area) => ({
    ...setting,
    title: `${setting.name}/${area}`,
    draw: (index: number) => drawCase({ area, seed: SEED, index }),
  })),
  ...Object.entries(OWN_AREAS).map(([area, { draw, share }]) => ({
    ...setting,
    title: `${setting.name}/${area}`,
    count: Math.ceil((setting.count * share) / 100),
    draw: (index: number) => draw(new Random(area, SEED, index), index),
  })),
]);

/** What is told of each sequence, and what the server tells besides. */
export function* answersOf({ draw, count, options }: Asked): Generator<Told> {
  const defects: unknown[] = [];
  const onlooker = new Onlooker();
  const server = new VirtualServer({
    ...options(),
    auditor: onlooker.auditor,
    metersRequests: true,
    onDefect: (error) => defects.push(error),
  });
  for (let index = 0; index < count; index++) {
    const golden = draw(index);
    const unique = `d${String(index).padStart(6, '0')}`;
    const answers = answered(() => normalise(golden, runCase(golden, server, unique)));
    // A server that fails itself is no matter of accounts.
    if (defects.length > 0) throw new Error(`a defect in ${golden.name}`, { cause: defects[0] });
    yield { name: golden.name, said: answers };
  }
  const { bytes } = server.request({ method: 'GET', path: '/metrics', headers: ADMIN });
  yield* onlooker.told(new TextDecoder().decode(bytes));
}

function answered(ask: () => readonly unknown[]): readonly unknown[] {
  try {
    return ask();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
