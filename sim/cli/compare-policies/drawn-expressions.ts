/** Expressions over what policies see, of many kinds, drawn beside those over config maps (`verify/generate/policy-expressions.ts`). */
import { drawText, drawTruth } from '../verify/generate/policy-expressions.ts';
import type { Random } from '../verify/generate/random.ts';

const TEXTS = [
  'string(request.kind)',
  'request.kind.group + "/" + request.kind.version + "/" + request.kind.kind',
  'request.resource.group + "/" + request.resource.version + "/" + request.resource.resource',
  'request.requestKind.group + "/" + request.requestKind.version + "/" + request.requestKind.kind',
  'request.requestResource.group + "/" + request.requestResource.version + "/" + request.requestResource.resource',
  "request.subResource + '|' + request.requestSubResource",
  "request.operation + ' ' + request.name + ' ' + request.namespace",
  "has(request.name) ? request.name : 'none'",
  "has(request.namespace) ? request.namespace : 'none'",
  "request.userInfo.username + ':' + request.userInfo.uid",
  "request.userInfo.groups.join(',')",
  "has(request.userInfo.extra) ? string(request.userInfo.extra.size()) : 'no extra'",
  'string(request.dryRun)',
  "has(request.options) ? request.options.kind + request.options.apiVersion : 'no options'",
  "namespaceObject == null ? 'nowhere' : namespaceObject.metadata.labels['case']",
  'namespaceObject.metadata.name + namespaceObject.status.phase',
  'string(namespaceObject.spec.finalizers)',
  "object == null ? 'gone' : object.kind + object.apiVersion",
  "oldObject == null ? 'new' : oldObject.kind + oldObject.apiVersion",
  "object.metadata.?name.orValue('?') + object.metadata.?namespace.orValue('?')",
  '["uid", "creationTimestamp", "generation", "managedFields", "namespace", "labels"].filter(k, k in object.metadata).join(",")',
  '["replicas", "clusterIP", "clusterIPs", "ports", "strategy", "nodeName", "finalizers", "type"].filter(k, k in object.spec).join(",")',
  '["kind", "metadata", "spec", "status", "data", "target"].filter(k, k in object).join(",") + string(object.size())',
  '["kind", "metadata", "spec", "status", "data", "target"].filter(k, k in oldObject).join(",") + string(oldObject.size())',
  "has(object.status) ? string(object.status.size()) : 'no status'",
  'string(has(object.metadata.managedFields)) + string(has(object.metadata.uid))',
  "has(object.metadata.generation) ? string(object.metadata.generation) : 'none'",
  'string(object.spec.replicas)',
  'string(object.spec.template.spec.containers.size())',
  'object.spec.template.spec.containers[0].imagePullPolicy',
  "object.spec.template.spec.containers.map(c, c.name + '=' + c.image).join(';')",
  'object.spec.containers.map(c, c.name).join()',
  'object.spec.serviceAccountName + object.spec.restartPolicy',
  "object.spec.?clusterIP.orValue('none').size() > 4 ? 'given' : 'none'",
  'object.spec.ports.map(p, string(p.port) + string(p.targetPort)).join()',
  'object.spec.type',
  'string(object.spec.size) + string(object.spec.ratio)',
  'string(object.spec.at)',
  "object.spec.list.join('+')",
  'string(object.data.size())',
  'object.type',
  "object.rules.map(r, r.verbs.join()).join('|')",
  'params.metadata.name + params.kind',
  'string(params.spec.size)',
  'params.data.k + params.data.n',
  'variables.t + variables.u',
  'variables.u.lowerAscii()',
  "string(authorizer.group('').resource('pods').namespace(request.namespace).check('list').allowed())",
  "authorizer.group('apps').resource('deployments').subresource('scale').check('update').reason()",
  "string(authorizer.requestResource.check('get').allowed()) + string(authorizer.requestResource.check('frob').allowed())",
  "authorizer.path('/metrics').check('get').reason()",
  "string(authorizer.serviceAccount('default', 'robot').resource('pods').check('get').allowed())",
  'string(authorizer)',
] as const;

const TRUTHS = [
  "request.operation in ['CREATE', 'UPDATE']",
  "request.operation == 'DELETE'",
  'object.spec == oldObject.spec',
  'oldObject == null || object.metadata.name == oldObject.metadata.name',
  'object.spec.replicas <= 3',
  'object.spec.replicas > params.spec.size',
  'object.spec.replicas == oldObject.spec.replicas',
  "object.spec.template.spec.containers.all(c, c.image.startsWith('registry/'))",
  'object.spec.containers.exists(c, has(c.resources))',
  'object.spec.ports.exists(p, p.port == 80)',
  'object.spec.ports.exists_one(p, p.targetPort == 8080)',
  "object.spec.type in ['ClusterIP', 'NodePort']",
  'object.spec.size < 10',
  'object.spec.size + 0.5 > 1.0',
  'object.spec.ratio < 1.5',
  "object.spec.at < timestamp('2030-01-01T00:00:00Z')",
  "timestamp(object.spec.at) < timestamp('2030-01-01T00:00:00Z')",
  "object.spec.list.exists(e, e == 'a')",
  "'a' in object.spec.list",
  'object.spec.none.deep == 1',
  'has(object.spec.none.deep)',
  "object.spec[?'none'].hasValue()",
  'object.?spec.?none.?deep.orValue(0) == 0',
  "namespaceObject.metadata.labels.exists(k, k == 'case')",
  'namespaceObject != null',
  'has(namespaceObject.metadata.annotations)',
  "'devs' in request.userInfo.groups",
  "request.userInfo.groups.exists(g, g.startsWith('system:'))",
  'request.dryRun == true',
  'has(request.dryRun)',
  "request.options.dryRun == ['All']",
  'has(request.options.fieldManager)',
  "request.options.propagationPolicy == 'Background'",
  "request.subResource == 'status'",
  'has(request.subResource)',
  "request.subResource != ''",
  "object.target.kind == 'Node'",
  'object.deleteOptions == null',
  'object.spec.audiences.size() == 0',
  "variables.b && variables.t != ''",
  'variables.b || variables.broken',
  'params != null && params.spec.size > 1',
  'has(params.spec)',
  "params.data.k == 'x'",
  "authorizer.group('').resource('secrets').namespace('kube-system').check('get').allowed()",
  "authorizer.requestResource.check('delete').allowed()",
  "authorizer.group('apps').resource('deployments').namespace(request.namespace).name('x').check('update').allowed()",
  "object.metadata.labels.all(k, k.matches('^[a-z]+$'))",
  "object.metadata.labels['team'] == 'a'",
  'object.metadata.annotations.size() > 0',
  '1 / (object.spec.replicas - object.spec.replicas) > 0',
  '[1, 2, 3].map(x, x * 2).exists(x, x == object.spec.replicas)',
  "object.spec.list.isSorted() && object.spec.list.indexOf('b') == 1",
  "url('https://example.com/' + object.metadata.name).getHost() == 'example.com'",
  "quantity(object.spec.amount).isGreaterThan(quantity('1Gi'))",
  "object.spec.template.spec.containers[0].resources.limits.cpu == '1'",
  "dyn(object.spec.size) == dyn('1')",
  "object.rules.all(r, !('*' in r.verbs))",
  "object.type == 'Opaque' || object.type == ''",
  'object.data.all(k, k.size() < 10)',
  'type(object.spec.size) == int',
  "string(object.spec.size).matches('[0-9]+')",
] as const;

export const drawPolicyTruth = (random: Random): string => {
  if (random.chance(25)) return drawTruth(random);
  const truth = random.pick(TRUTHS);
  const dice = random.below(10);
  if (dice === 0) return `!(${truth})`;
  if (dice === 1) return `${truth} && ${random.pick(TRUTHS)}`;
  if (dice === 2) return `${truth} || ${random.pick(TRUTHS)}`;
  if (dice === 3) return `${truth} ? ${random.pick(TRUTHS)} : ${random.pick(TRUTHS)}`;
  if (dice === 4) return `${random.pick(TEXTS)} == ${random.pick(TEXTS)}`;
  return truth;
};

export const drawPolicyText = (random: Random): string => {
  const dice = random.below(10);
  if (dice === 0) return drawText(random);
  if (dice === 1) return `${random.pick(TEXTS)} + ' and ' + ${random.pick(TEXTS)}`;
  if (dice === 2) return `[${random.pick(TEXTS)}, ${random.pick(TEXTS)}].join(' ')`;
  if (dice === 3)
    return random.pick(["''", "'  '", "'a\\nb'", 'null', '7', "'x'.substring(5)", 'object.spec.none']);
  return random.pick(TEXTS);
};
