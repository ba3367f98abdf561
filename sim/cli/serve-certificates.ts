/** With which certificate `kubesim serve` shows itself, and whose certificates it believes. */
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Command } from 'commander';
import type { ServeOptions } from '../host/serve.ts';
import { readOption } from './option-file.ts';

export interface CertificateFlags {
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly certDir?: string;
  readonly clientCaFile?: string;
}

/** Read and looked at before anything begins. */
export function certificatesOf(
  flags: CertificateFlags,
  command: Command,
): Pick<ServeOptions, 'tls' | 'clientAuthorities'> {
  const { clientCaFile } = flags;
  const { tlsCertFile, tlsPrivateKeyFile } = serverFiles(flags);
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
    command.error('error: --tls-cert-file and --tls-private-key-file go together');
  const cert = readOption('--tls-cert-file', tlsCertFile, command);
  const key = readOption('--tls-private-key-file', tlsPrivateKeyFile, command);
  const ca = readOption('--client-ca-file', clientCaFile, command);
  try {
    createSecureContext({ ...(ca !== undefined && { ca }) });
    if (ca !== undefined) void new X509Certificate(ca).subject;
  } catch {
    command.error(`error: --client-ca-file ${clientCaFile}: it holds no certificate in PEM`);
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    command.error(`error: --tls-cert-file ${tlsCertFile}: it is no certificate in PEM with its key: ${why}`);
  }
  return {
    ...(cert !== undefined && key !== undefined && { tls: { cert, key } }),
    ...(ca !== undefined && { clientAuthorities: [ca] }),
  };
}

/** A directory of certificates counts only where no file is named. */
function serverFiles({
  tlsCertFile,
  tlsPrivateKeyFile,
  certDir,
}: CertificateFlags): Pick<CertificateFlags, 'tlsCertFile' | 'tlsPrivateKeyFile'> {
  if (tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined)
    return {
      ...(tlsCertFile !== undefined && { tlsCertFile }),
      ...(tlsPrivateKeyFile !== undefined && { tlsPrivateKeyFile }),
    };
  if (certDir === undefined) return {};
  const pair = {
    tlsCertFile: join(certDir, 'apiserver.crt'),
    tlsPrivateKeyFile: join(certDir, 'apiserver.key'),
  };
  return Object.values(pair).every((file) => existsSync(file)) ? pair : {};
}
