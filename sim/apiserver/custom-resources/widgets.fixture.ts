/** A server that knows Widgets of `example.com/v1`, which are in no namespace. For tests. */
import { type Ask, askedServer } from '../../cli/golden/asked-server.ts';

export const WIDGETS = '/apis/example.com/v1/widgets';

/** `properties`: of the whole object. */
export function serverOfWidgets(properties: object, subresources?: object): Ask {
  const ask = askedServer();
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...(subresources && { subresources }) }],
    },
  });
  ask.sleep(10_000);
  return ask;
}

export const widget = (name: string, spec?: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...(spec && { spec }),
});
