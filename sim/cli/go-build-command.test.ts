import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { goBuild, NotBuilt } from './go-build-command.ts';

/** Stands in for Go: says where it lies, keeps what it was given, and builds what it is told to. */
const GO = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
if (args[0] === 'env') console.log(process.env.FAKE_ROOT);
else if (args.at(-1) === './broken') { console.error('main.go:3:1: syntax error'); process.exit(1); }
else {
  const [overlaid] = Object.entries(JSON.parse(readFileSync(args[args.indexOf('-overlay') + 1], 'utf8')).Replace);
  const built = { from: overlaid[0], text: readFileSync(overlaid[1], 'utf8'), os: process.env.GOOS, arch: process.env.GOARCH };
  writeFileSync(args[args.indexOf('-o') + 1], JSON.stringify(built));
}
`;
const ROUND_TRIP = `func (t *Transport) RoundTrip(req *Request) (*Response, error) {
	if t.Dial != nil || t.DialContext != nil || t.DialTLS != nil || t.DialTLSContext != nil || jsFetchMissing || jsFetchDisabled {
		return t.roundTrip(req)
	}
`;

describe('a build of a Go program', () => {
  let folder = '';
  const source = (): string => join(folder, 'src/net/http/roundtrip_js.go');
  const output = (): string => join(folder, 'operator.wasm');
  const build = (name = '.'): void => goBuild({ directory: folder, package: name, output: output() });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'go-build-'));
    mkdirSync(join(folder, 'src/net/http'), { recursive: true });
    writeFileSync(source(), ROUND_TRIP);
    writeFileSync(join(folder, 'go'), GO);
    chmodSync(join(folder, 'go'), 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
    vi.stubEnv('FAKE_ROOT', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('lets HTTP ask the simulation however connections would be made', () => {
    build();
    const built = JSON.parse(readFileSync(output(), 'utf8')) as Readonly<Record<string, string>>;
    expect(built).toMatchObject({ from: source(), os: 'js', arch: 'wasm' });
    expect(built['text']).toContain('\tif jsFetchMissing || jsFetchDisabled {');
  });

  it('is told what Go says against it', () => {
    expect(() => build('./broken')).toThrow(
      new NotBuilt('go build ended with 1:\nmain.go:3:1: syntax error'),
    );
  });

  it('does not go on where the standard library is another', () => {
    writeFileSync(source(), 'func (t *Transport) RoundTrip(req *Request) {}');
    expect(build).toThrow('HTTP would not reach the simulation');
  });

  it('says that there is no Go', () => {
    vi.stubEnv('PATH', '/nonexistent');
    expect(build).toThrow('a Go toolchain of 1.21 or later is needed');
  });
});
