/** Checks that go beyond the form of a scenario: what it refers to must exist. */
import { isMap, isScalar, visit, type Document, type Node } from 'yaml';
import {
  ADMISSION_PLUGINS,
  checkSchedulerConfiguration,
  FeatureGates,
  findRelease,
  type Release,
  selectControllers,
} from '../../sim/index.ts';
import { checkFaultNames } from './fault-names.ts';
import { behaviourFindings } from './behaviour-check.ts';
import { EXPECTED_RELEASE, releaseOfCluster, releasesOfCluster, releasesOfStep } from './release-check.ts';
import { strangeRuntimeConfig } from './runtime-config-check.ts';
import { knownKind, type KindLookup } from '../world/kinds.ts';
import { MATCHERS } from '../checks/match.ts';
import type { Finding, Path } from './read-value.ts';
import { pathText } from './read-value.ts';
import { parsePath } from './value-path.ts';
import type { Scenario, Step } from './scenario-shape.ts';
import { didYouMean } from './suggest.ts';
import { BUILT_IN_VARIABLES, referencesIn } from './variables.ts';

/** `text` is what the document was parsed from: messages point into it. */
export function checkMeaning(scenario: Scenario, document: Document, text: string): Finding[] {
  return new MeaningCheck(scenario, document, text).run();
}

const CAPTURE_ROOTS = ['status', 'headers', 'body', 'warnings', 'events', 'ended'];
const MANIFEST_VERBS = ['create', 'apply', 'update'] as const;
const REFERENCE_VERBS = ['get', 'list', 'watch', 'patch', 'delete'] as const;

class MeaningCheck {
  readonly #scenario: Scenario;
  readonly #document: Document;
  readonly #text: string;
  readonly #findings: Finding[] = [];
  readonly #variables: Set<string>;
  readonly #streams = new Set<string>();
  /** Groups whose kinds only the running API server knows. */
  readonly #customGroups: ReadonlySet<string>;

  /** Those that it names. */
  readonly #releases: Release[] = [];

  constructor(scenario: Scenario, document: Document, text: string) {
    this.#scenario = scenario;
    this.#document = document;
    this.#text = text;
    this.#variables = new Set([...BUILT_IN_VARIABLES, ...Object.keys(scenario.spec.variables ?? {})]);
    this.#customGroups = customGroups(document);
  }

  run(): Finding[] {
    const { always = [], steps, cluster = {} } = this.#scenario.spec;
    for (const { path, name } of releasesOfCluster(cluster))
      this.#release(name, ['spec', 'cluster', ...path]);
    this.#releasesOf(steps, ['spec', 'steps']);
    if (steps.length === 0) this.#report(['spec', 'steps'], 'spec.steps is empty', 'at least one step');
    always.forEach((property, index) => this.#step(property, ['spec', 'always', index]));
    this.#steps(steps, ['spec', 'steps']);
    this.#featureGates();
    this.#controllers();
    this.#servers();
    this.#scheduler();
    // A probe is looked at with its step and by itself.
    const seen = new Set<string>();
    return this.#findings.filter(({ offset, message }) => {
      const key = `${offset} ${message}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  #release(name: string, path: Path): void {
    const release = findRelease(name);
    if (release) this.#releases.push(release);
    else this.#report(path, `there is no release \`${name}\``, EXPECTED_RELEASE);
  }

  #releasesOf(steps: readonly Step[], path: Path): void {
    for (const [index, step] of steps.entries()) {
      for (const found of releasesOfStep(step)) this.#release(found.name, [...path, index, ...found.path]);
      if (step.repeat)
        this.#releasesOf(step.repeat.steps as readonly Step[], [...path, index, 'repeat', 'steps']);
    }
  }

  #featureGates(): void {
    const { cluster = {} } = this.#scenario.spec;
    for (const [name, isOn] of Object.entries(cluster.featureGates ?? {})) {
      try {
        FeatureGates.parse(releaseOfCluster(cluster).gates, `${name}=${isOn}`);
      } catch (error) {
        const message = error instanceof Error ? error.message : `there is no feature gate ${name}`;
        this.#report(
          ['spec', 'cluster', 'featureGates', name],
          message,
          'a feature gate of this release that can be set so',
        );
      }
    }
  }

  #controllers(): void {
    for (const [index, word] of (this.#scenario.spec.cluster?.controllers ?? []).entries()) {
      try {
        selectControllers([word]);
      } catch (error) {
        const message = error instanceof Error ? error.message : `there is no controller ${word}`;
        this.#report(
          ['spec', 'cluster', 'controllers', index],
          message,
          'a controller that is modelled, or `*`',
        );
      }
    }
  }

  #servers(): void {
    const { admission, runtimeConfig } = this.#scenario.spec.cluster ?? {};
    for (const [index, name] of (admission?.disable ?? []).entries())
      if (!ADMISSION_PLUGINS.includes(name))
        this.#report(
          ['spec', 'cluster', 'admission', 'disable', index],
          `there is no admission plugin \`${name}\`${didYouMean(name, ADMISSION_PLUGINS)}`,
          `one of ${ADMISSION_PLUGINS.join(', ')}`,
        );
    this.#runtimeConfig(runtimeConfig, ['spec', 'cluster', 'runtimeConfig']);
  }

  #runtimeConfig(settings: Readonly<Record<string, boolean>> | undefined, path: Path): void {
    const releases = [releaseOfCluster(this.#scenario.spec.cluster ?? {}), ...this.#releases];
    for (const { key, message, expected } of strangeRuntimeConfig(settings, releases))
      this.#report([...path, key], message, expected);
  }

  #fault(fault: NonNullable<Step['fault']>, path: Path): void {
    this.#runtimeConfig(fault.restart?.runtimeConfig, [...path, 'restart', 'runtimeConfig']);
    const isCustom = this.#customGroups.size > 0;
    for (const { path: within, message, expected } of checkFaultNames(fault, isCustom))
      this.#report([...path, ...within], message, expected);
  }

  #scheduler(): void {
    const { scheduler } = this.#scenario.spec.cluster ?? {};
    if (typeof scheduler !== 'object') return;
    try {
      checkSchedulerConfiguration(scheduler);
    } catch (error) {
      const message = error instanceof Error ? error.message : 'the scheduler makes no sense';
      this.#report(
        ['spec', 'cluster', 'scheduler'],
        message,
        'a configuration that kube-scheduler would take',
      );
    }
  }

  #steps(steps: readonly Step[], path: Path): void {
    steps.forEach((step, index) => this.#step(step, [...path, index]));
  }

  #step(step: Step, path: Path): void {
    if (step.repeat) {
      const { index, steps } = step.repeat;
      if (index !== undefined) this.#variables.add(index);
      this.#steps(steps as readonly Step[], [...path, 'repeat', 'steps']);
    } else {
      this.#references(path);
    }
    for (const verb of REFERENCE_VERBS) {
      const target = step[verb];
      if (target) this.#kind(target.apiVersion ?? 'v1', target.kind, [...path, verb]);
    }
    for (const verb of MANIFEST_VERBS) {
      const manifest = step[verb];
      if (manifest) this.#manifest(manifest, [...path, verb]);
    }
    for (const verb of ['eventually', 'always'] as const) {
      const inner = step[verb];
      if (inner) this.#step(inner, [...path, verb]);
    }
    if (step.delay !== undefined && !step.fault)
      this.#report(
        [...path, 'delay'],
        `${pathText(path)} has nothing to delay`,
        'a `fault` beside the `delay`',
      );
    if (step.fault) this.#fault(step.fault, [...path, 'fault']);
    if (step.expect) this.#matchers([...path, 'expect']);
    if (step.watch) this.#streams.add(step.watch.stream);
    if (step.events) this.#stream(step.events.stream, [...path, 'events', 'stream']);
    if (step.stop !== undefined) this.#stream(step.stop, [...path, 'stop']);
    for (const [name, capture] of Object.entries(step.capture ?? {}))
      this.#capture(name, capture, [...path, 'capture', name]);
    for (const name of Object.keys(step.set ?? {})) this.#variables.add(name);
  }

  /** Keys that begin with `$` in what is expected. */
  #matchers(path: Path): void {
    const node = this.#document.getIn(path, true);
    if (!isMap(node)) return;
    visit(node, {
      Pair: (_, { key }) => {
        if (
          !isScalar(key) ||
          typeof key.value !== 'string' ||
          !/^\$[^{]/.test(key.value) ||
          Object.hasOwn(MATCHERS, key.value)
        )
          return;
        const known = Object.keys(MATCHERS);
        const [start, end] = key.range ?? [0, 0];
        this.#findings.push({
          offset: start,
          length: end - start,
          message: `there is no matcher \`${key.value}\`${didYouMean(key.value, known)}`,
          expected: `one of ${known.join(', ')}`,
        });
      },
    });
  }

  /** Every text of the step, where it is written. */
  #references(path: Path): void {
    const node = this.#document.getIn(path, true);
    if (!isMap(node)) return;
    visit(node, {
      Scalar: (_, { value, range }) => {
        if (typeof value !== 'string' || !range) return;
        for (const { name, length } of referencesIn(value)) {
          if (this.#variables.has(name)) continue;
          const known = [...this.#variables];
          const at = this.#offsetOf(range[0], name);
          this.#findings.push({
            offset: at,
            length,
            message: `nothing has defined the variable \`${name}\` so far${didYouMean(name, known)}`,
            expected: `one of ${known.join(', ')}`,
          });
        }
      },
    });
  }

  /** Within block texts and quotes the place in the source differs from that in the value. */
  #offsetOf(start: number, name: string): number {
    const found = this.#text.indexOf(`\${${name}`, start);
    return found < 0 ? start : found;
  }

  #manifest(manifest: Readonly<Record<string, unknown>>, path: Path): void {
    const { apiVersion, kind, metadata } = manifest;
    if (typeof kind !== 'string')
      return this.#report(
        path,
        `${pathText(path)} has no \`kind\``,
        'a manifest with apiVersion, kind and metadata',
      );
    if (typeof apiVersion !== 'string')
      return this.#report(
        path,
        `${pathText(path)} has no \`apiVersion\``,
        'a manifest with apiVersion, kind and metadata',
      );
    if (typeof metadata !== 'object' || metadata === null)
      return this.#report(
        path,
        `${pathText(path)} has no \`metadata\``,
        'a manifest with apiVersion, kind and metadata',
      );
    this.#kind(apiVersion, kind, path);
    for (const { path: within, message, expected } of behaviourFindings(manifest))
      this.#report([...path, ...within], message, expected);
  }

  #kind(apiVersion: string, kind: string, path: Path): void {
    if (apiVersion.includes('${') || kind.includes('${')) return;
    const found: KindLookup = knownKind(apiVersion, kind, this.#releases.length > 0 ? 'all' : '1.31');
    if (found.kind === 'found') return;
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    if (this.#customGroups.has(group)) return;
    if (found.kind === 'no-version') {
      this.#report(
        [...path, 'apiVersion'],
        `there is no API version \`${apiVersion}\`${didYouMean(apiVersion, found.versions)}`,
        'a built-in version, or one of a CustomResourceDefinition that the scenario creates',
      );
      return;
    }
    const elsewhere = found.elsewhere.length === 0 ? '' : `; it is in ${found.elsewhere.join(', ')}`;
    this.#report(
      [...path, 'kind'],
      `there is no kind \`${kind}\` in ${apiVersion}${elsewhere || didYouMean(kind, found.kinds)}`,
      `a kind of ${apiVersion}, such as ${found.kinds.slice(0, 4).join(', ')}`,
    );
  }

  #stream(name: string, path: Path): void {
    if (!this.#streams.has(name))
      this.#report(
        path,
        `no watch has opened the stream \`${name}\` so far${didYouMean(name, [...this.#streams])}`,
        'the `stream` of a watch above',
      );
  }

  #capture(name: string, capture: string, path: Path): void {
    const parts = parsePath(capture);
    const root = parts?.[0];
    if (root === undefined || !CAPTURE_ROOTS.includes(String(root))) {
      this.#report(
        path,
        `\`${capture}\` is not a path into an answer`,
        `a path that begins with ${CAPTURE_ROOTS.join(', ')}, such as body.metadata.resourceVersion`,
      );
    }
    this.#variables.add(name);
  }

  #report(path: Path, message: string, expected: string): void {
    const node = this.#document.getIn(path, true) ?? this.#document.getIn(path.slice(0, -1), true);
    const [start, end] = (node as Node | undefined)?.range ?? [0, 0];
    this.#findings.push({
      offset: start,
      length: isScalar(node) ? Math.max(1, end - start) : 1,
      message,
      expected,
    });
  }
}

function customGroups(document: Document): ReadonlySet<string> {
  const groups = new Set<string>();
  visit(document, {
    Map: (_, map) => {
      if (map.get('kind') !== 'CustomResourceDefinition') return;
      const group: unknown = map.getIn(['spec', 'group']);
      if (typeof group === 'string') groups.add(group);
    },
  });
  return groups;
}
