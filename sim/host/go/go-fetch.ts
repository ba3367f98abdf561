/** `fetch` as Go's HTTP client uses it: it closes bodies and listens to nobody who says that they were broken off before. */

export async function goFetch(input: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, init);
  if (answer.body) closesQuietly(answer.body);
  return answer;
}

function closesQuietly(body: ReadableStream): void {
  const getReader = body.getReader.bind(body) as () => ReadableStreamDefaultReader;
  const quiet = (): ReadableStreamDefaultReader => {
    const reader = getReader();
    const cancel = reader.cancel.bind(reader);
    reader.cancel = (reason) => cancel(reason).catch(() => undefined);
    return reader;
  };
  Reflect.set(body, 'getReader', quiet);
}
