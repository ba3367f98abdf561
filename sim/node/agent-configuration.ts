/** `/configz`: the settings of the agent that mean something here, as KubeletConfiguration names them. */
import { formatDuration } from '../api/time-format.ts';
import type { Micros } from '../engine/time.ts';
import { ACCESS_CACHE, type AgentAccessSettings } from './endpoint/agent-access.ts';

const NANOS_OF_MICRO = 1_000n;

export function configurationOf(
  { authorizationMode, allowsAnonymous }: Required<AgentAccessSettings>,
  { servesCheckpoints }: { readonly servesCheckpoints: boolean },
): object {
  return {
    kubeletconfig: {
      enableServer: true,
      port: 10_250,
      authentication: {
        webhook: { enabled: true, cacheTTL: goDuration(ACCESS_CACHE.token) },
        anonymous: { enabled: allowsAnonymous },
      },
      authorization: {
        mode: authorizationMode,
        webhook: {
          cacheAuthorizedTTL: goDuration(ACCESS_CACHE.allowed),
          cacheUnauthorizedTTL: goDuration(ACCESS_CACHE.refused),
        },
      },
      nodeStatusUpdateFrequency: '10s',
      nodeStatusReportFrequency: '5m0s',
      nodeLeaseDurationSeconds: 40,
      maxPods: 110,
      featureGates: { ContainerCheckpoint: servesCheckpoints },
      enableDebuggingHandlers: true,
    },
  };
}

const goDuration = (span: Micros): string => formatDuration(BigInt(span) * NANOS_OF_MICRO);
