import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * The frames of a stream: events, or the elements of one JSON array where the client did not ask for `alt=sse`
 * (docs/reference/wires.md "Streams of generate"), both as Google writes them.
 * @param isFirst nothing of the stream is written yet
 */
export function framed(isJsonArray: boolean, answers: readonly ByteText[], isFirst: boolean): ByteText {
  return isJsonArray
    ? answers.map((answer, i) => (isFirst && i === 0 ? '[' : ',\r\n') + answer).join('')
    : answers.map((answer) => `data: ${answer}\r\n\r\n`).join('')
}

/** The end of a stream; events have none. */
export function closing(isJsonArray: boolean, isFirst: boolean): ByteText {
  if (!isJsonArray) return ''
  return isFirst ? '[]' : ']'
}

/**
 * The end of a failed stream, behind its error: a part that is no valid one. LangChain builds on
 * `@google/generative-ai`, which takes an error for an empty chunk and the stream for a complete answer; at such a
 * part it throws, and quotes it. Invalid JSON or a broken connection would be thrown twice there, once where
 * nothing can catch it, which kills the client; clients that know errors have thrown by then.
 */
export function failedClosing(isJsonArray: boolean, code: string): ByteText {
  return isJsonArray ? ']' : framed(false, [JSON.stringify(answerOf(code))], false)
}

function answerOf(code: string): object {
  return { candidates: [{ content: { role: 'model', parts: [code] } }] }
}
