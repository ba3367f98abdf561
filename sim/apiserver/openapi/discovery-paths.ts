/** Paths of the documents that are about the server itself. */
import type { JsonObject } from '../../api/object.ts';
import { OBJECT_MEDIA_TYPES, OK, operation } from './operation.ts';
import { capital, groupWord, tagOfGroup } from './operation-names.ts';
import type { Paths } from './resource-paths.ts';
import { META_PREFIX } from './schema-names.ts';

const read = (id: string, tag: string, answer: string, produces = OBJECT_MEDIA_TYPES): JsonObject => ({
  get: operation({ id, tag, answer, success: OK, produces }),
});

const JSON_ONLY = ['application/json'];

/** The documents that stand beside those of the group versions, by name in the index. */
export const SERVER_DOCUMENTS: ReadonlyMap<string, Paths> = new Map([
  [
    '.well-known/openid-configuration',
    new Map([
      [
        '/.well-known/openid-configuration/',
        read('getServiceAccountIssuerOpenIDConfiguration', 'WellKnown', 'string', JSON_ONLY),
      ],
    ]),
  ],
  ['api', new Map([['/api/', read('getCoreAPIVersions', 'core', `${META_PREFIX}APIVersions`)]])],
  ['apis', new Map([['/apis/', read('getAPIVersions', 'apis', `${META_PREFIX}APIGroupList`)]])],
  [
    'openid/v1/jwks',
    new Map([
      [
        '/openid/v1/jwks/',
        read('getServiceAccountIssuerOpenIDKeyset', 'openid', 'string', ['application/jwk-set+json']),
      ],
    ]),
  ],
  [
    'version',
    new Map([
      ['/version/', read('getCodeVersion', 'version', 'io.k8s.apimachinery.pkg.version.Info', JSON_ONLY)],
    ]),
  ],
]);

/** The document of a group: where its versions are listed. */
export const groupPaths = (group: string): Paths =>
  new Map([
    [`/apis/${group}/`, read(`get${groupWord(group)}APIGroup`, tagOfGroup(group), `${META_PREFIX}APIGroup`)],
  ]);

/** The path that lists the resources of a group version. @param root `/apis/apps/v1` */
export const versionPath = (root: string, group: string, version: string): Paths =>
  new Map([
    [
      `${root}/`,
      read(
        `get${groupWord(group)}${capital(version)}APIResources`,
        `${tagOfGroup(group)}_${version}`,
        `${META_PREFIX}APIResourceList`,
      ),
    ],
  ]);
