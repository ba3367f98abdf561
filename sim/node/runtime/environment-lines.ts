/** The environment of a container as its programs see it: `NAME=value`, in their order. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** With what its runtime adds. */
export const containerEnvironment = (hostname: string, declared: readonly string[]): readonly string[] => [
  `PATH=${PATH}`,
  `HOSTNAME=${hostname}`,
  ...declared,
  'HOME=/root',
];
