/** At rest whoever gives something out has given it, to those who are there, and keeps nothing for those who are not. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { HorizontalPodAutoscaler } from '../../sim/api/types/autoscaling-v2.ts';
import type { CronJob, Job } from '../../sim/api/types/batch-v1.ts';
import type { CertificateSigningRequest } from '../../sim/api/types/certificates-k8s-io-v1.ts';
import type { Secret, Service } from '../../sim/api/types/core-v1.ts';
import { controllerOf } from '../workloads/owned-pods.ts';
import { conditionOf, isGoing, textOf, type RestView } from './rest-view.ts';

const keyOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): string => `${namespace}/${name}`;

/** Of a Service whose load balancer is still to be given back. */
export const CLOUD_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const CLOUD_BEHAVIOUR = 'load-balancer.kubesim.dev/behaviour';

/** Services of a type have what the type gives, each its own, and keep it from being lost; others have nothing of it. */
export function loadBalancersRest(view: RestView): readonly string[] {
  const holders = new Map<string, Service>();
  return view.of('Service').flatMap((service: Service) => {
    const { annotations = {}, finalizers = [] } = service.metadata;
    const { type, loadBalancerClass, loadBalancerIP } = service.spec ?? {};
    if (isGoing(service) || loadBalancerClass !== undefined || view.past.isOvertaken(service)) return [];
    const addresses = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
    const isHeld = finalizers.includes(CLOUD_FINALIZER);
    if (type !== 'LoadBalancer')
      return isHeld || addresses.length > 0 ? [`${textOf(service)} keeps a load balancer`] : [];
    if (addresses.length === 0)
      return failuresIn(annotations[CLOUD_BEHAVIOUR]) <= FEW
        ? [`${textOf(service)} has no load balancer`]
        : [];
    const other = addresses.map((ip) => holders.get(ip)).find((holder) => holder !== undefined);
    if (loadBalancerIP === undefined) for (const ip of addresses) holders.set(ip, service);
    return [
      ...(isHeld ? [] : [`${textOf(service)} has a load balancer that nothing would give back`]),
      ...(other && loadBalancerIP === undefined
        ? [`${textOf(service)} has the address of ${textOf(other)}`]
        : []),
    ];
  });
}

/** A cloud that fails so often and no more has given what was asked for before anything rests. */
const FEW = 3;

function failuresIn(behaviour = '{}'): number {
  try {
    const { fails = 0 } = JSON.parse(behaviour) as { readonly fails?: number };
    return fails;
  } catch {
    return Infinity;
  }
}

const SIGNERS: ReadonlySet<string> = new Set([
  'kubernetes.io/kube-apiserver-client',
  'kubernetes.io/kube-apiserver-client-kubelet',
  'kubernetes.io/kubelet-serving',
]);

/** What is approved is signed, or was found to be wrong. */
export function certificatesRest(view: RestView): readonly string[] {
  return (view.named('CertificateSigningRequest') as readonly CertificateSigningRequest[]).flatMap(
    (request) => {
      const { certificate, conditions = [] } = request.status ?? {};
      const types = new Set(conditions.map(({ type }) => type));
      const isDue =
        SIGNERS.has(request.spec.signerName) &&
        types.has('Approved') &&
        !types.has('Denied') &&
        !types.has('Failed');
      return isDue && !certificate ? [`${textOf(request)} is approved, and not signed`] : [];
    },
  );
}

const ACCOUNT = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
const LATE_MS = 60_000;

/** Tokens belong to accounts that there are, and go with them, or when their time is over. */
export function tokensRest(view: RestView): readonly string[] {
  const accounts = new Map(
    view.of('ServiceAccount').map((account) => [keyOf(account), account.metadata.uid]),
  );
  return (view.named('Secret') as readonly Secret[]).flatMap((secret) => {
    const { namespace = '', annotations = {} } = secret.metadata;
    if (isGoing(secret)) return [];
    if (secret.type === 'bootstrap.kubernetes.io/token' && namespace === 'kube-system') {
      const ends = Date.parse(atob(secret.data?.['expiration'] ?? ''));
      return view.nowMs - ends > LATE_MS ? [`${textOf(secret)} has outlived its time`] : [];
    }
    if (secret.type !== 'kubernetes.io/service-account-token') return [];
    const uid = accounts.get(`${namespace}/${annotations[ACCOUNT] ?? ''}`);
    if (uid === undefined) return [`${textOf(secret)} is left, and its account is gone`];
    const token = secret.data?.['token'];
    if (annotations[ACCOUNT_UID] !== uid || !isSignedFor(token, uid))
      return [`${textOf(secret)} is that of a former account`];
    return token ? [] : [`${textOf(secret)} has no token`];
  });
}

/** What somebody else has put there says nothing. */
function isSignedFor(token: string | undefined, uid: string): boolean {
  const [, claims = ''] = atob(token ?? '').split('.');
  try {
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
    const said = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return (said['kubernetes.io/serviceaccount/service-account.uid'] ?? uid) === uid;
  } catch {
    return true;
  }
}

/** An autoscaler has seen how large its target is, and keeps it within bounds. */
export function autoscalersRest(view: RestView): readonly string[] {
  return (view.named('HorizontalPodAutoscaler') as readonly HorizontalPodAutoscaler[]).flatMap(
    (autoscaler) => {
      const { scaleTargetRef, minReplicas = 1, maxReplicas = 1 } = autoscaler.spec ?? {};
      const { namespace = '' } = autoscaler.metadata;
      const target = view
        .named(scaleTargetRef?.kind ?? '')
        .find((each) => keyOf(each) === `${namespace}/${scaleTargetRef?.name ?? ''}`);
      const replicas = (target as { readonly spec?: { readonly replicas?: number } } | undefined)?.spec
        ?.replicas;
      if (isGoing(autoscaler) || !target || replicas === undefined || isGoing(target)) return [];
      const seen = autoscaler.status?.currentReplicas ?? 0;
      return [
        ...(seen === replicas
          ? []
          : [`${textOf(autoscaler)} has seen ${seen} replicas, and there are to be ${replicas}`]),
        ...(replicas > maxReplicas || (replicas > 0 && replicas < minReplicas)
          ? [`${textOf(autoscaler)} leaves its target at ${replicas}`]
          : []),
        ...(conditionOf(autoscaler.status, 'AbleToScale') === 'True'
          ? []
          : [`${textOf(autoscaler)} is not able to scale`]),
      ];
    },
  );
}

/** Those that run are listed, and of those that ended no more are kept than are to be. */
export function cronJobsRest(view: RestView): readonly string[] {
  return (view.named('CronJob') as readonly CronJob[]).flatMap((cronJob) => {
    const jobs = view.of('Job').filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid);
    if (isGoing(cronJob)) return [];
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec ?? {};
    const active = new Set(cronJob.status?.active?.map(({ uid }) => uid));
    const running = new Set(jobs.filter((job) => !endOf(job)).map(({ metadata }) => metadata.uid));
    const kept = (end: string, limit: number): readonly string[] => {
      const count = jobs.filter((job) => endOf(job) === end && !isGoing(job)).length;
      return count > limit ? [`${textOf(cronJob)} keeps ${count} Jobs that are ${end}`] : [];
    };
    return [
      ...[...active].flatMap((uid) =>
        running.has(uid) ? [] : [`${textOf(cronJob)} lists Job ${uid ?? ''}, which does not run`],
      ),
      ...kept('Complete', successfulJobsHistoryLimit),
      ...kept('Failed', failedJobsHistoryLimit),
    ];
  });
}

const endOf = ({ status }: Job): string | undefined =>
  ['Complete', 'Failed'].find((type) => conditionOf(status, type) === 'True');
