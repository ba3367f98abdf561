// Writes .oxlintrc.json: the rules that hold everywhere, and from the table of rooms who may import whom and what the
// simulation must not touch. The file is made, never edited.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const target = join(dirname(fileURLToPath(import.meta.url)), '../.oxlintrc.json');

/** Rooms of `sim`, from the ground up, each with the rooms that it may import. `pure`: part of the simulation. */
const ROOMS = {
  engine: { imports: [], pure: true },
  api: { imports: [], pure: true },
  storage: { imports: ['engine', 'api'], pure: true },
  apiserver: { imports: ['engine', 'api', 'storage'], pure: true },
  client: { imports: ['engine', 'api'], pure: true },
  node: { imports: ['engine', 'api', 'client'], pure: true },
  controllers: { imports: ['engine', 'api', 'client'], pure: true },
  scheduler: { imports: ['engine', 'api', 'client'], pure: true },
  cluster: {
    imports: ['engine', 'api', 'storage', 'apiserver', 'client', 'node', 'controllers', 'scheduler'],
    pure: true,
  },
  host: {
    imports: [
      'engine',
      'api',
      'storage',
      'apiserver',
      'client',
      'node',
      'controllers',
      'scheduler',
      'cluster',
    ],
    pure: false,
  },
};
const NAMES = [...Object.keys(ROOMS), 'cli'];

const everywhere = {
  'import/no-cycle': ['error', { ignoreTypes: false }],
  'import/no-named-as-default-member': 'off',
  'import/no-named-as-default': 'off',
  'preserve-caught-error': 'off',
  'no-control-regex': 'off',
  'unicorn/no-useless-spread': 'off',
  'unicorn/prefer-string-starts-ends-with': 'off',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  'typescript/no-explicit-any': 'error',
  'typescript/no-non-null-assertion': 'error',
  'import/no-default-export': 'error',
  'no-shadow': 'off',
  'no-unmodified-loop-condition': 'off',
  'typescript/consistent-type-imports': 'error',
  eqeqeq: 'error',
  'no-console': 'error',
  'no-underscore-dangle': 'off',
  'no-await-in-loop': 'off',
  'unicorn/no-array-sort': 'off',
  'unicorn/no-array-reverse': 'off',
  'typescript/no-unsafe-type-assertion': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/require-module-specifiers': 'off',
  'import/no-unassigned-import': 'off',
  'require-yield': 'off',
  'typescript/consistent-return': 'off',
  'typescript/unbound-method': 'off',
  'typescript/no-useless-default-assignment': 'off',
  'typescript/no-misused-spread': ['error', { allow: ['string'] }],
};

const wait = 'wait with `yield* context.sleep`';
const locale = 'no locale inside the simulation';
const GLOBALS = {
  performance: "time comes from the actor's clock",
  setTimeout: wait,
  setInterval: wait,
  setImmediate: wait,
  queueMicrotask: 'the kernel alone resumes',
  Promise: 'no promises inside the simulation',
  process: 'no platform inside the simulation',
  Buffer: 'no platform inside the simulation',
  fetch: 'no network inside the simulation',
  Intl: locale,
  crypto: 'chance comes from the choices',
};
const PROPERTIES = [
  { object: 'Math', property: 'random', message: 'chance comes from the choices' },
  { object: 'Date', property: 'now', message: "time comes from the actor's clock" },
  { property: 'localeCompare', message: 'order strings by code unit' },
  { property: 'toLocaleString', message: locale },
  { property: 'toLocaleLowerCase', message: locale },
  { property: 'toLocaleUpperCase', message: locale },
];

const imports = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });
const OUTSIDE = {
  group: ['**/scenarios/**', '**/model/**', '**/reports/**'],
  message: 'sim imports nothing outside of sim',
};
const PLATFORM = { group: ['node:*'], message: 'the simulation rooms are free of Node built-ins' };

function room([name, { imports: allowed, pure }]) {
  const foreign = NAMES.filter((other) => other !== name && !allowed.includes(other)).map((other) => ({
    group: [`**/${other}/**`],
    message: `sim/${name} may not import sim/${other}`,
  }));
  const rules = imports(...foreign, OUTSIDE, ...(pure ? [PLATFORM] : []));
  const determinism = {
    'no-restricted-globals': [
      'error',
      ...Object.entries(GLOBALS).map(([global, message]) => ({ name: global, message })),
    ],
    'no-restricted-properties': ['error', ...PROPERTIES],
    'no-async-await': 'error',
  };
  return { files: [`sim/${name}/**/*.ts`], rules: { ...rules, ...(pure && determinism) } };
}

const exceptions = [
  {
    files: ['**/*.test.ts', '**/*.contract.ts', '**/*.fixture.ts', '**/*.arbitrary.ts'],
    rules: {
      'no-restricted-imports': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-async-await': 'off',
      'typescript/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['sim/engine/ambient-trap.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
  { files: ['sim/engine/drive.ts'], rules: { 'no-restricted-globals': 'off', 'no-async-await': 'off' } },
  {
    files: ['*.config.ts', '*.config.mjs', '.ci/**'],
    rules: { 'import/no-default-export': 'off', 'no-console': 'off' },
  },
  { files: ['sim/cli/**'], rules: { 'no-console': 'off' } },
  { files: ['sim/**/*.ts'], rules: { 'house/no-spread-into-push': 'error' } },
  {
    files: ['sim/**/*.ts', 'scenarios/**/*.ts', 'model/**/*.ts'],
    rules: { 'house/no-function-as-member': 'error' },
  },
  {
    files: ['sim/cli/**', '**/*.test.ts'],
    rules: { 'house/no-spread-into-push': 'off', 'house/no-function-as-member': 'off' },
  },
];

const config = {
  $schema: './node_modules/oxlint/configuration_schema.json',
  plugins: ['typescript', 'import', 'unicorn', 'oxc'],
  jsPlugins: ['./.ci/lint-rules.mjs'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { es2024: true },
  ignorePatterns: [
    'dist',
    'node_modules',
    'sim/api/catalog/tables',
    'sim/apiserver/bootstrap/tables',
    'reports/latest',
  ],
  rules: everywhere,
  overrides: [
    ...Object.entries(ROOMS).map(room),
    {
      files: ['model/**/*.ts'],
      rules: imports({
        group: ['**/sim/**', '!**/sim/api/**'],
        message: 'the model imports types of sim/api only',
      }),
    },
    {
      files: ['reports/**/*.ts'],
      rules: imports({
        group: ['**/sim/**', '**/scenarios/**', '**/model/**'],
        allowTypeImports: true,
        message: 'reports import types only',
      }),
    },
    {
      files: ['scenarios/**/*.ts'],
      rules: imports({
        group: ['**/sim/**', '!**/sim/index.ts'],
        message: 'scenarios import sim/index.ts only',
      }),
    },
    ...exceptions,
  ],
};

const text = `${JSON.stringify(config, undefined, 2)}\n`;
// Editors watch the file.
const before = (() => {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
})();
if (before !== text) writeFileSync(target, text);
