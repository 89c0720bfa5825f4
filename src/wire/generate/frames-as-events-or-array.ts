import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Frames are server-sent events or, without `alt=sse`, elements of one JSON array (docs/reference/wires.md "Streams on
 * the generate wire").
 * @param isFirst whether no part of the stream has been written yet
 */
export function framed(isJsonArray: boolean, answers: readonly ByteText[], isFirst: boolean): ByteText {
  return isJsonArray
    ? answers.map((answer, i) => (isFirst && i === 0 ? '[' : ',\r\n') + answer).join('')
    : answers.map((answer) => `data: ${answer}\r\n\r\n`).join('')
}

/** Empty for a stream of events, which has no end marker. */
export function closing(isJsonArray: boolean, isFirst: boolean): ByteText {
  if (!isJsonArray) return ''
  return isFirst ? '[]' : ']'
}

/**
 * Writes the end of a failed stream, after its error. A stream of events ends with a deliberately invalid part, so that
 * every client notices the failure. LangChain uses `@google/generative-ai`, which reads an error as an empty chunk, and
 * the stream as a complete answer. At the invalid part, `@google/generative-ai` throws an error that quotes the part.
 * At invalid JSON or a broken connection, this client would throw two errors and crash, because one of the errors
 * cannot be caught. Clients that recognize errors have already thrown before the invalid part.
 */
export function failedClosing(isJsonArray: boolean, code: string): ByteText {
  return isJsonArray ? ']' : framed(false, [JSON.stringify(answerOf(code))], false)
}

function answerOf(code: string): object {
  return { candidates: [{ content: { role: 'model', parts: [code] } }] }
}
