/**
 * What `POST /kubesim/v1/reset` costs, asked for over HTTP as a suite does between two of its tests. Told in processor time
 * too, which is the same on a machine that has other things to do.
 */
import { EVERY_CONTROLLER } from '../../cluster/create-cluster.ts';
import { type ServeOptions, serve } from '../../host/serve.ts';
import type { Measurement } from './engine.ts';

const ALONE: ServeOptions = {
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 0,
  onDefect: (error) => {
    throw error;
  },
};

/** Of many, after as many that do not count. */
export async function measureResets(count = 100): Promise<Measurement[]> {
  return [
    ...(await resetsOf('an API server alone', ALONE, count)),
    ...(await resetsOf(
      'a cluster of 3 nodes',
      { ...ALONE, nodes: 3, controllers: EVERY_CONTROLLER, scheduler: true },
      count,
    )),
  ];
}

async function resetsOf(what: string, options: ServeOptions, count: number): Promise<Measurement[]> {
  const serving = await serve(options);
  const [url] = serving.urls;
  const costs: { readonly elapsed: number; readonly processor: number }[] = [];
  for (let index = 0; index < 2 * count; index++) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    const answer = await fetch(`${url}/kubesim/v1/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await answer.arrayBuffer();
    const { user, system } = process.cpuUsage(before);
    if (answer.status !== 200) throw new Error(`a reset was answered with ${answer.status}`);
    costs.push({ elapsed: performance.now() - start, processor: (user + system) / 1_000 });
  }
  await serving.stop();
  const kept = costs.slice(count);
  const figure = (name: string, values: readonly number[], at: number): Measurement => ({
    name: `reset of ${what}, ${name}`,
    value: Math.round((values.toSorted((a, b) => a - b)[at] ?? 0) * 100) / 100,
    unit: 'ms',
  });
  const elapsed = kept.map((cost) => cost.elapsed);
  const processor = kept.map((cost) => cost.processor);
  return [
    figure('least', elapsed, 0),
    figure('median', elapsed, count >> 1),
    figure('median of processor time', processor, count >> 1),
  ];
}
