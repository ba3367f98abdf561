import { describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../../api/types/core-v1.ts';
import { checkedPod } from './check.ts';
import { detailsText, violationsOf } from './evaluate.ts';
import type { Level } from './policy.ts';

interface Given {
  readonly level?: Level;
  readonly minor?: number;
  readonly annotations?: Record<string, string>;
  readonly spec: Partial<PodSpec>;
}

const container = (security: Container['securityContext'], more: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'i',
  ...(security && { securityContext: security }),
  ...more,
});

function found({ level = 'baseline', minor = Infinity, annotations, spec }: Given): string {
  const whole = { containers: [container(undefined)], ...spec };
  return detailsText(violationsOf(checkedPod(annotations, whole), { level, minor }));
}

const FINE: Container['securityContext'] = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

describe('the baseline', () => {
  test.each<[string, Given, string]>([
    ['nothing', { spec: {} }, ''],
    [
      'host namespaces',
      { spec: { hostIPC: true, hostPID: true, hostNetwork: true } },
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'host paths',
      {
        spec: {
          volumes: [
            { name: 'a', hostPath: { path: '/' } },
            { name: 'b', hostPath: { path: '/b' } },
          ],
        },
      },
      'hostPath volumes (volumes "a", "b")',
    ],
    [
      'host ports of several containers, as texts in order',
      {
        spec: {
          containers: [
            container(undefined, { ports: [{ containerPort: 1, hostPort: 90 }] }),
            container(undefined, { name: 'd', ports: [{ containerPort: 1, hostPort: 100 }] }),
          ],
        },
      },
      'hostPort (containers "c", "d" use hostPorts 100, 90)',
    ],
    [
      'privileged ephemeral containers',
      { spec: { ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }] } },
      'privileged (container "e" must not set securityContext.privileged=true)',
    ],
    [
      'capabilities',
      { spec: { containers: [container({ capabilities: { add: ['SYS_TIME', 'CHOWN', 'BPF'] } })] } },
      'non-default capabilities (container "c" must not include "BPF", "SYS_TIME" in securityContext.capabilities.add)',
    ],
    [
      'SELinux',
      {
        spec: {
          securityContext: { seLinuxOptions: { role: 'r', user: 'u' } },
          containers: [container({ seLinuxOptions: { type: 'x_t' } })],
        },
      },
      'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "x_t"; user may not be set; role may not be set)',
    ],
    [
      '/proc',
      { spec: { containers: [container({ procMount: 'Unmasked' })] } },
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'processes of Windows hosts',
      {
        spec: {
          securityContext: { windowsOptions: { hostProcess: true } },
          containers: [container({ windowsOptions: { hostProcess: true } })],
        },
      },
      'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      'AppArmor, in fields and annotations',
      {
        annotations: {
          'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
          'container.apparmor.security.beta.kubernetes.io/d': 'localhost/x',
        },
        spec: { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      },
      'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    ],
    [
      'seccomp profiles',
      { spec: { containers: [container({ seccompProfile: { type: 'Unconfined' } })] } },
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
  ])('looks at %s', (_, given, expected) => {
    expect(found(given)).toBe(expected);
  });

  test.each([
    [26, 'forbidden sysctls (net.ipv4.ip_local_reserved_ports, net.ipv4.tcp_keepalive_time)'],
    [27, 'forbidden sysctls (net.ipv4.tcp_keepalive_time)'],
    [28, 'forbidden sysctls (net.ipv4.tcp_keepalive_time)'],
    [29, ''],
    [99, ''],
  ])('knows which kernel parameters were safe in v1.%d', (minor, expected) => {
    const sysctls = ['net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time'];
    const spec = { securityContext: { sysctls: sysctls.map((name) => ({ name, value: '1' })) } };
    expect(found({ minor, spec })).toBe(expected);
  });

  test('allows the SELinux type of container engines from v1.31 on', () => {
    const spec = { securityContext: { seLinuxOptions: { type: 'container_engine_t' } } };
    expect(found({ minor: 30, spec })).toContain('type "container_engine_t"');
    expect(found({ minor: 31, spec })).toBe('');
  });

  test('reads seccomp profiles from annotations before v1.19', () => {
    const given = {
      annotations: {
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.seccomp.security.alpha.kubernetes.io/c': 'docker/default',
      },
      spec: {},
    };
    expect(found({ ...given, minor: 18 })).toBe(
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    expect(found({ ...given, minor: 19 })).toBe('');
  });
});

describe('the restricted level', () => {
  test('asks for more release by release', () => {
    const reasons = (minor: number): string =>
      found({ level: 'restricted', minor, spec: { securityContext: { runAsUser: 0 } } }).replaceAll(
        / \(.*?\)(?=,|$)/g,
        '',
      );
    expect(reasons(7)).toBe('runAsNonRoot != true');
    expect(reasons(8)).toBe('allowPrivilegeEscalation != false, runAsNonRoot != true');
    expect(reasons(19)).toBe('allowPrivilegeEscalation != false, runAsNonRoot != true, seccompProfile');
    expect(reasons(22)).toBe(
      'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
    );
    expect(reasons(23)).toBe(
      'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, runAsUser=0, seccompProfile',
    );
  });

  test('tells what the baseline forbids first, and once where it says the same more strictly', () => {
    const spec: Partial<PodSpec> = {
      hostPID: true,
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'w', nfs: { server: 's', path: '/' } },
        { name: 'x', emptyDir: {} },
      ],
      containers: [container({ ...FINE, capabilities: { add: ['BPF'], drop: ['ALL'] } })],
    };
    expect(found({ level: 'restricted', spec })).toBe(
      'host namespaces (hostPID=true), unrestricted capabilities (container "c" must not include "BPF" in securityContext.capabilities.add), restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
    );
  });

  test('spares pods of Windows from v1.25 on', () => {
    const spec: Partial<PodSpec> = {
      os: { name: 'windows' },
      securityContext: { runAsNonRoot: true },
    };
    expect(found({ level: 'restricted', minor: 25, spec })).toBe('');
    expect(found({ level: 'restricted', minor: 24, spec })).toContain('unrestricted capabilities');
  });

  test('lets a container answer for itself', () => {
    const containers = [container(FINE), container({ ...FINE, runAsNonRoot: false }, { name: 'd' })];
    expect(found({ level: 'restricted', spec: { containers } })).toBe(
      'runAsNonRoot != true (container "d" must not set securityContext.runAsNonRoot=false)',
    );
  });
});

test('the privileged level asks for nothing', () => {
  expect(found({ level: 'privileged', spec: { hostPID: true } })).toBe('');
});
