/** What an agent writes on and on, as the text of a response. */
import { CHANNEL } from '../../api/stream-frame.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiServerSurroundings, NodeStream } from '../surroundings.ts';
import { TextStream } from '../streams/text-stream.ts';

/** Ends when the agent ends it or its node is gone; ends what the agent does when the reader goes away. */
export function textStreamOf(
  { start }: Pick<ApiServerSurroundings, 'start'>,
  source: NodeStream,
): TextStream {
  const stream = new TextStream();
  const stop = start(passOn(source, stream));
  const close = (): void => {
    stop();
    source.close();
  };
  stream.onClose = close;
  return stream;
}

function* passOn(source: NodeStream, stream: TextStream): Process<void> {
  for (let frame = yield* source.receive(); frame; frame = yield* source.receive())
    if (frame.channel === CHANNEL.stdout && frame.bytes) stream.writeBytes(frame.bytes);
  stream.end();
}
