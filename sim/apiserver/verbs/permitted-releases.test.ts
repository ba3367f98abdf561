import { expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { askedServer } from '../../cli/golden/asked-server.ts';

const SERVICES = '/api/v1/namespaces/default/services?dryRun=All';
const SETS = '/apis/apps/v1/namespaces/default/statefulsets?dryRun=All';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const VOLUMES = '/api/v1/persistentvolumes';

const at = (name: string) => askedServer({ release: findRelease(name) });
const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });

it('names of services may begin with a digit since 1.36', () => {
  expect(at('1.31')('POST', SERVICES, service('1a')).status).toBe(422);
  const ask = at('1.36');
  expect(ask('POST', SERVICES, service('1a')).status).toBe(201);
  expect(ask('POST', SERVICES, service('a.b')).body.message).toBe(
    'Service "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
  );
});

it('the pods of a stateful set are looked at since 1.34', () => {
  const set = {
    metadata: { name: 'x' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } },
    },
  };
  expect(at('1.31')('POST', SETS, set).status).toBe(201);
  expect(at('1.34')('POST', SETS, set).body.message).toBe(
    'StatefulSet.apps "x" is invalid: spec.template.spec.containers[0].image: Required value',
  );
});

it('what is fixed is told in the words of the release', () => {
  const storageClass = (provisioner: string) => ({ metadata: { name: 'x' }, provisioner });
  const said = (name: string) => {
    const ask = at(name);
    ask('POST', CLASSES, storageClass('a.b/c'));
    return ask('PUT', `${CLASSES}/x`, storageClass('a.b/d')).body.message;
  };
  expect(said('1.34')).toContain('provisioner: Forbidden: updates to provisioner are forbidden.');
  expect(said('1.36')).toContain('provisioner: Invalid value: "a.b/d": field is immutable');
});

it('releases since 1.34 show what of a fixed part has changed', () => {
  const volume = (path: string) => ({
    metadata: { name: 'v' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      nfs: { server: 'a', path },
    },
  });
  const said = (name: string) => {
    const ask = at(name);
    ask('POST', VOLUMES, volume('/a'));
    return ask('PATCH', `${VOLUMES}/v`, { spec: { nfs: { path: '/b' } } }).body.message;
  };
  const start =
    'PersistentVolume "v" is invalid: spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation';
  expect(said('1.31')).toBe(start);
  expect(said('1.34')).toBe(
    `${start}\n@@ -5,7 +5,7 @@\n  "Glusterfs": null,\n  "NFS": {\n   "Server": "a",\n-  "Path": "/a",\n+  "Path": "/b",\n   "ReadOnly": false\n  },\n  "RBD": null,\n`,
  );
});
