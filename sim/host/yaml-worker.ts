/** The thread that reads large YAML for a server: a text goes in, what it says or why it says nothing comes out. */
import { parentPort } from 'node:worker_threads';
import { DecodeError } from '../api/codec/decode-error.ts';
import { checkValues } from '../api/codec/value-bound.ts';
import { yamlToJson } from '../api/codec/yaml.ts';
import { ApiError } from '../api/status.ts';

export type YamlAnswer =
  | { readonly kind: 'value'; readonly value: unknown; readonly duplicates: readonly string[] }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'too many values' }
  | { readonly kind: 'defect'; readonly message: string };

const answerOf = (text: string): YamlAnswer => {
  try {
    const read = yamlToJson(text);
    // Nobody has the time to take it over.
    checkValues(read.value);
    return { kind: 'value', ...read };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'too many values' };
    if (error instanceof DecodeError) return { kind: 'unreadable', message: error.message };
    return {
      kind: 'defect',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
};

parentPort?.on('message', (text: string) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(answerOf(text));
});
