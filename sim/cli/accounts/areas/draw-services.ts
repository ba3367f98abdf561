/** Services that come, change their type, give back what they had and go, with more ports than chance keeps apart. */
import type { GoldenCase, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { JsonObject } from '../../../api/object.ts';
import type { Random } from '../../verify/generate/random.ts';

const PATH = '/api/v1/namespaces/${ns}/services';
const NAMES = ['a', 'b', 'c'];
const TYPES = ['ClusterIP', 'NodePort', 'NodePort', 'LoadBalancer', 'ExternalName'];
const PATCH = 'application/merge-patch+json';

export function drawServices(random: Random, index: number): GoldenCase {
  const steps = [
    ...NAMES.map((name) => created(name, random)),
    ...Array.from({ length: 10 }, () => stepOf(random)),
  ];
  return {
    name: `services/${index}`,
    area: 'services',
    steps: [...steps, { request: { method: 'GET', path: PATH } }],
  };
}

const dry = (random: Random): object => (random.chance(10) ? { query: { dryRun: 'All' } } : {});

function created(name: string, random: Random): Step {
  const body = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: specOf(random) };
  return { request: { method: 'POST', path: PATH, ...dry(random), body } };
}

function stepOf(random: Random): Step {
  const name = random.pick(NAMES);
  const one = `${PATH}/${name}`;
  const dice = random.below(100);
  if (dice < 25) return created(name, random);
  if (dice < 80) {
    const spec = random.chance(50) ? changeOf(random) : specOf(random);
    return { request: { method: 'PATCH', path: one, contentType: PATCH, ...dry(random), body: { spec } } };
  }
  if (dice < 90) return { request: { method: 'DELETE', path: one, ...dry(random) } };
  return { request: { method: 'GET', path: one } };
}

const changeOf = (random: Random): JsonObject =>
  random.pick<JsonObject>([
    { type: 'ClusterIP' },
    { type: 'NodePort' },
    { type: 'ExternalName', externalName: 'a.example.com' },
    { type: 'ExternalName', externalName: 'a.example.com', clusterIP: '', clusterIPs: null, ports: null },
    { clusterIP: 'None' },
    { clusterIP: '10.96.0.77' },
    { ipFamilyPolicy: 'PreferDualStack' },
    { externalTrafficPolicy: 'Local' },
    { healthCheckNodePort: 31_000 },
    { allocateLoadBalancerNodePorts: false },
    { sessionAffinity: 'ClientIP' },
    { sessionAffinity: 'None', sessionAffinityConfig: null },
    { internalTrafficPolicy: 'Local' },
    { loadBalancerClass: 'example.com/own' },
  ]);

function specOf(random: Random): JsonObject {
  const type = random.pick(TYPES);
  const count = random.pick([1, 1, 2, 3, 90]);
  const isSet = count < 5 && random.chance(20);
  const ports = Array.from({ length: count }, (_, at): JsonObject => ({
    name: `p${at}`,
    port: 80 + Math.floor(at / 2),
    protocol: at % 2 === 0 ? 'TCP' : random.pick(['UDP', 'UDP', 'SCTP']),
    ...(isSet && { nodePort: random.pick([30_080, 30_080, 30_081, 29_000]) }),
  }));
  const some = (percent: number, members: JsonObject): JsonObject => (random.chance(percent) ? members : {});
  return {
    type,
    ports,
    selector: { app: 'a' },
    ...(type === 'ExternalName' && { externalName: 'a.example.com' }),
    ...some(8, { clusterIP: random.pick(['None', '10.96.0.55', '10.96.0.55', '1.2.3.4']) }),
    ...some(10, { externalTrafficPolicy: 'Local' }),
    ...some(6, { healthCheckNodePort: random.pick([31_000, 31_000, 0]) }),
    ...some(6, { allocateLoadBalancerNodePorts: false }),
    ...some(8, { ipFamilyPolicy: random.pick(['SingleStack', 'PreferDualStack', 'RequireDualStack']) }),
  };
}
