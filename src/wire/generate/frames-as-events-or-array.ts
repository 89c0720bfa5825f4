import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Writes the frames of a stream in Google's format (docs/reference/wires.md "Streams on the generate wire"). The frames
 * are server-sent events or, without `alt=sse`, elements of one JSON array.
 * @param isFirst whether no part of the stream has been written yet
 */
export function framed(isJsonArray: boolean, answers: readonly ByteText[], isFirst: boolean): ByteText {
  return isJsonArray
    ? answers.map((answer, i) => (isFirst && i === 0 ? '[' : ',\r\n') + answer).join('')
    : answers.map((answer) => `data: ${answer}\r\n\r\n`).join('')
}

/** Returns the text that ends a stream. Empty for a stream of events, which has no end marker. */
export function closing(isJsonArray: boolean, isFirst: boolean): ByteText {
  if (!isJsonArray) return ''
  return isFirst ? '[]' : ']'
}

/**
 * Writes the end of a failed stream, after its error. An array ends with its bracket. A stream of events deliberately
 * ends with an invalid part, so that every client notices the failure. LangChain uses `@google/generative-ai`, which
 * treats an error as an empty chunk, and therefore the stream as a complete answer. At the invalid part,
 * `@google/generative-ai` throws an error that quotes the part. If the stream ended with invalid JSON or a broken
 * connection, `@google/generative-ai` would throw two errors and crash, because one of them cannot be caught. Clients
 * that recognize errors have already thrown before the invalid part.
 */
export function failedClosing(isJsonArray: boolean, code: string): ByteText {
  return isJsonArray ? ']' : framed(false, [JSON.stringify(answerOf(code))], false)
}

function answerOf(code: string): object {
  return { candidates: [{ content: { role: 'model', parts: [code] } }] }
}
