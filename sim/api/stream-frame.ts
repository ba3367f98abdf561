/** What goes over one connection with several numbered channels: exec, attach, and logs that go on. */

/** As Kubernetes numbers the channels of exec and attach. */
export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

export interface StreamFrame {
  readonly channel: number;
  /** Undefined: the channel has ended. */
  readonly bytes: Uint8Array | undefined;
}

/** On the error channel: what went wrong, and was not the command's own fault. */
export const streamFailure = (message: string): object => ({
  metadata: {},
  status: 'Failure',
  message: `Internal error occurred: ${message}`,
  reason: 'InternalError',
  details: { causes: [{ message }] },
  code: 500,
});
