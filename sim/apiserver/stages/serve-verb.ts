/** Hands the request to its verb. */
import type { Process } from '../../engine/process.ts';
import type { Endpoints } from '../endpoints/endpoints.ts';
import type { Exchange } from '../request/exchange.ts';
import { methodNotAllowed } from './route.ts';
import { create } from '../verbs/create.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteVerb } from '../verbs/delete.ts';
import { get } from '../verbs/get.ts';
import { list } from '../verbs/list.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';
import { watch } from '../verbs/watch.ts';

export type Verb = (exchange: Exchange) => Process<void>;

const VERBS: Readonly<Record<string, Verb>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteVerb,
  deletecollection: deleteCollection,
};

export const serveVerbOf =
  (endpoints: Endpoints) =>
  (exchange: Exchange): Process<void> => {
    const { info } = exchange;
    const { resource, subresource } = exchange.routed;
    const special = endpoints.find(resource, info.subresource);
    if (special) return special(exchange);
    const rules = subresource && resource.strategy.subresources?.[subresource.name];
    if (subresource && !rules) throw methodNotAllowed();
    const verb = VERBS[info.verb];
    if (!verb) throw methodNotAllowed();
    return rules && info.verb === 'update'
      ? update(exchange, rules)
      : rules && info.verb === 'patch'
        ? patch(exchange, rules)
        : verb(exchange);
  };
