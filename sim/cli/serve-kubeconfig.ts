/** The kubeconfig that `serve` leaves, with the credentials of an administrator, and what is to be said of it. */
import type { Command } from 'commander';
import type { User, UserKey } from '../host/certificates.ts';
import { kubeconfigText, writePrivate } from '../host/kubeconfig.ts';
import type { Serving } from '../host/serve.ts';
import { fileProblem } from './start-problem.ts';

const ADMINISTRATOR: User = { name: 'kubesim-admin', groups: ['system:masters'] };

/** Said where a kubeconfig for plain HTTP lets no client in Go in. */
export const UNHEARD_TOKENS =
  'kubectl and other clients in Go send no token over plain HTTP: with --secure-port they are let in\n';

export interface KubeconfigPlan {
  readonly file: string;
  readonly url: string;
  readonly token: string;
  /** Made while the server started: who has seen it answer looks for the file at once. */
  readonly key: Promise<UserKey>;
}

/** Ends the command where the file cannot be written. */
export async function leaveKubeconfig(
  serving: Serving,
  { file, url, token, key }: KubeconfigPlan,
  command: Command,
): Promise<void> {
  const text = kubeconfigText({
    url,
    token,
    ...(url.startsWith('https:') && {
      authority: serving.rootCertificate,
      certificate: await serving.authority?.userCertificate(ADMINISTRATOR, key),
    }),
  });
  try {
    writePrivate(file, text);
  } catch (error) {
    await serving.stop();
    command.error(`error: ${fileProblem('--kubeconfig-out', file, error)}`);
  }
}
