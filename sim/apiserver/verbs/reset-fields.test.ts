import { expect, it } from 'vitest';
import { VirtualServer } from '../../cli/golden/virtual-server.ts';

const SERVER = new VirtualServer();

/** Applies to the status of what is there, and tells what the status' manager owns then. */
function ownedAfterApply(path: string, object: object): object {
  const { bytes, status } = SERVER.request({
    method: 'PATCH',
    path: `${path}/status?fieldManager=m&force=true`,
    headers: { authorization: 'Bearer admin-token', 'content-type': 'application/apply-patch+yaml' },
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  expect(status).toBe(200);
  const { metadata } = JSON.parse(new TextDecoder().decode(bytes)) as {
    metadata: { managedFields: readonly { manager: string; fieldsV1: object }[] };
  };
  return metadata.managedFields.find(({ manager }) => manager === 'm')?.fieldsV1 ?? {};
}

/** These kinds have the same rules for their status. */
it.each(['flowschemas', 'prioritylevelconfigurations'])(
  'a status of %s never owns the spec, whichever kind was asked before',
  (resource) => {
    const group = 'flowcontrol.apiserver.k8s.io';
    const kind = resource === 'flowschemas' ? 'FlowSchema' : 'PriorityLevelConfiguration';
    const owned = ownedAfterApply(`/apis/${group}/v1/${resource}/exempt`, {
      kind,
      apiVersion: `${group}/v1`,
      metadata: { name: 'exempt' },
      spec: resource === 'flowschemas' ? { matchingPrecedence: 1 } : { type: 'Exempt' },
      status: { conditions: [{ type: 'Dangling', status: 'False' }] },
    });
    expect(Object.keys(owned)).toEqual(['f:status']);
  },
);

it('nor does that of a kind of another group', () => {
  const path = '/apis/storage.k8s.io/v1/volumeattachments';
  const object = {
    kind: 'VolumeAttachment',
    apiVersion: 'storage.k8s.io/v1',
    metadata: { name: 'a' },
    spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  };
  SERVER.request({
    method: 'POST',
    path,
    headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  expect(Object.keys(ownedAfterApply(`${path}/a`, { ...object, status: { attached: true } }))).toEqual([
    'f:status',
  ]);
});
