/** An answer that goes on for as long as both sides like. */
export function isStream(response: Response): boolean {
  return (
    response.headers.get('content-type')?.startsWith('text/event-stream') === true && response.body !== null
  );
}

/** The same stream, with a way for the server to end it; `onEnd` is called once, whoever ended it. */
export function endable(response: Response, onEnd: () => void): { response: Response; end: () => void } {
  const reader = response.body!.getReader();
  let isOpen = true;
  const close = () => {
    if (isOpen) onEnd();
    isOpen = false;
  };
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    pull: async () => {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (!isOpen) return;
      if (value) controller.enqueue(value);
      if (!done) return;
      close();
      controller.close();
    },
    cancel: (reason) => {
      close();
      return reader.cancel(reason);
    },
  });
  const end = () => {
    if (!isOpen) return;
    close();
    controller.close();
    void reader.cancel().catch(() => {});
  };
  return { response: new Response(body, response), end };
}
