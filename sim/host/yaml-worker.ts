/** The thread that reads large YAML for a server: a text goes in, what it says or why it says nothing comes out. */
import { parentPort } from 'node:worker_threads';
import { DecodeError } from '../api/codec/decode-error.ts';
import { yamlToJson } from '../api/codec/yaml.ts';

export type YamlAnswer =
  | { readonly kind: 'value'; readonly value: unknown; readonly duplicates: readonly string[] }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'defect'; readonly message: string };

const answerOf = (text: string): YamlAnswer => {
  try {
    return { kind: 'value', ...yamlToJson(text) };
  } catch (error) {
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
