/** Calls of operations that return a stream. These functions are not methods of Sender, so that the portal omits them. */
import type { Route } from './request.ts'
import type { Sender } from './sender.ts'
import type { CallOptions, StreamOptions } from './settings.ts'
import { eventsOf, linesOf, StreamCall } from './stream.ts'

/** Calls an operation that returns events (`text/event-stream`), each with a document. */
export function streamEvents<T>(
  sender: Sender,
  route: Route,
  input: object = {},
  options: StreamOptions = {},
): StreamCall<T> {
  const streamed = { ...route, accept: 'text/event-stream' }
  return new StreamCall(streamed, sender.stream(streamed, input, options), options.signal, eventsOf)
}

/** Calls an operation that returns lines (`application/x-ndjson`). Each line is a document. */
export function streamLines<T>(
  sender: Sender,
  route: Route,
  input: object = {},
  options: CallOptions = {},
): StreamCall<T> {
  const streamed = { ...route, accept: 'application/x-ndjson' }
  return new StreamCall(streamed, sender.stream(streamed, input, options), options.signal, linesOf)
}
