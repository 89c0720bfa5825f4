import { expect, test } from 'vitest'
import { AnswerReader } from './read-http-responses.ts'

const fixed = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 11\r\nDate: now\r\n\r\n{"a":"b\\n"}')
const chunked = Buffer.from(
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n' +
    '9\r\ndata: a\n\n\r\n1A\r\ndata: b\n\ndata: c\n\ndata: d\n\r\n1\r\n\n\r\n0\r\n\r\n',
)

const withCr = Buffer.from(
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n' +
    '16\r\ndata: a\r\n\r\ndata: b\r\n\r\n\r\n5\r\n\r\n\r\n\n\r\n0\r\n\r\n',
)

test('an answer is read in the same way, wherever the network splits it', () => {
  for (const [answer, bodyBytes, events, blank] of [
    [fixed, 11, 0, '\n\n'],
    [chunked, 9 + 26 + 1, 4, '\n\n'],
    [withCr, 22 + 5, 3, '\r\n\r\n'],
  ] as const) {
    for (let first = 0; first <= answer.length; first += 1) {
      for (let second = first; second <= answer.length; second += 1) {
        const reader = new AnswerReader(blank)
        const pieces = [answer.subarray(0, first), answer.subarray(first, second), answer.subarray(second)]
        const ends = pieces.filter((piece) => piece.length > 0).map((piece) => reader.push(piece))
        expect(ends.lastIndexOf(true)).toBe(ends.length - 1)
        expect(ends.indexOf(true)).toBe(ends.length - 1)
        expect(reader).toMatchObject({ status: 200, bodyBytes, events })
        const uncounted = new AnswerReader(null)
        expect(pieces.filter((piece) => piece.length > 0).map((piece) => uncounted.push(piece))).toEqual(ends)
        expect(uncounted).toMatchObject({ status: 200, bodyBytes, events: 0 })
      }
    }
  }
})

test('a second answer on the same connection is counted separately from the first answer', () => {
  const reader = new AnswerReader()
  expect(reader.push(chunked)).toBe(true)
  reader.reset()
  expect(reader.push(Buffer.from('HTTP/1.1 402 Payment Required\r\ncontent-length: 2\r\n\r\n{}'))).toBe(true)
  expect(reader).toMatchObject({ status: 402, bodyBytes: 2, events: 0 })
})

test('bytes after the end of an answer, an invalid chunk size and an answer without a length are faults', () => {
  expect(() => new AnswerReader().push(Buffer.concat([fixed, Buffer.from('x')]))).toThrow('follow the end')
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  expect(() => new AnswerReader().push(Buffer.from(`${head}xyz\r\n`))).toThrow('size of a chunk')
  expect(() => new AnswerReader().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('without a length')
})
