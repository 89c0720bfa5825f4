import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * How answers of a stream stand one after the other: as events, or, where the client did not ask for
 * `alt=sse`, as the elements of one array of JSON (docs/reference/wires.md "Streams of generate"). Both as
 * Google frames them.
 * @param isFirst nothing of the stream was given out yet
 */
export function framed(isJsonArray: boolean, answers: readonly ByteText[], isFirst: boolean): ByteText {
  return isJsonArray
    ? answers.map((answer, i) => (isFirst && i === 0 ? '[' : ',\r\n') + answer).join('')
    : answers.map((answer) => `data: ${answer}\r\n\r\n`).join('')
}

/** What ends the stream: events just end. */
export function closing(isJsonArray: boolean, isFirst: boolean): ByteText {
  if (!isJsonArray) return ''
  return isFirst ? '[]' : ']'
}

/**
 * What ends a stream that has failed, behind its error: a part that is none. LangChain stands on
 * `@google/generative-ai`, which takes an error for a chunk with nothing in it and the stream for an answer
 * that is whole; at such a part it throws, and quotes it. What is no JSON, or a connection that breaks, would
 * be thrown twice there, once where nobody can catch it, which ends the process of whoever calls. Clients that
 * know errors have thrown by then.
 */
export function failedClosing(isJsonArray: boolean, code: string): ByteText {
  return isJsonArray ? ']' : framed(false, [JSON.stringify(answerOf(code))], false)
}

function answerOf(code: string): object {
  return { candidates: [{ content: { role: 'model', parts: [code] } }] }
}
