import { expect, it } from 'vitest'
import { headLimits } from '#http/connection-timeouts-and-head-limits.ts'
import { compareHeads } from '#tests/support/compare-request-heads.ts'
import { randomFrom, seedOfRun, withSeed } from '#tests/support/seeded-random.ts'
import { readRequestHead } from './request-head.ts'

const line = 'POST /v1/chat/completions HTTP/1.1'
const read = (...lines: readonly string[]): ReturnType<typeof readRequestHead> =>
  readRequestHead(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))

it('the head of an official client is read', () => {
  expect(
    read(
      line,
      'host: acme.gateway.localhost:8080',
      'Connection: keep-alive',
      'Authorization: Bearer ak_1',
      'X-Stainless-Lang:js',
      'x-empty:',
      'x-padded: \t a b \t ',
      'content-length: 12',
    ),
  ).toEqual({
    method: 'POST',
    url: '/v1/chat/completions',
    headers: {
      host: 'acme.gateway.localhost:8080',
      connection: 'keep-alive',
      authorization: 'Bearer ak_1',
      'x-stainless-lang': 'js',
      'x-empty': '',
      'x-padded': 'a b',
      'content-length': '12',
    },
    bytes: 196,
    contentLength: 12,
    isKeptAlive: true,
  })
  expect(read('GET /v1/models HTTP/1.1', 'Host: a', 'Connection: Close')).toMatchObject({
    contentLength: 0,
    isKeptAlive: false,
  })
})

it('bytes after the head are not part of the head', () => {
  const head = `${line}\r\nhost: a\r\ncontent-length: 3\r\n\r\n`
  expect(readRequestHead(Buffer.from(`${head}\r\n\r\n`))).toMatchObject({
    bytes: head.length,
    contentLength: 3,
  })
})

it('a head is read only after all of its bytes have arrived', () => {
  const bytes = Buffer.from(`${line}\r\nhost: a\r\nx-a: b\r\n\r\n`)
  for (let length = 0; length < bytes.length; length++) {
    expect(readRequestHead(bytes.subarray(0, length))).toBe(null)
  }
  expect(readRequestHead(bytes)).not.toBe(null)
})

it.each([
  ['no host', [line]],
  ['two hosts', [line, 'host: a', 'Host: a']],
  ['a repeated field', [line, 'host: a', 'authorization: b', 'Authorization: b']],
  ['two equal lengths', [line, 'host: a', 'content-length: 2', 'content-length: 2']],
  ['a length and chunks', [line, 'host: a', 'content-length: 2', 'transfer-encoding: chunked']],
  ['chunks', [line, 'host: a', 'transfer-encoding: chunked']],
  ['a space before the colon', [line, 'host: a', 'transfer-encoding : chunked']],
  ['no field name', [line, 'host: a', ': b']],
  ['no colon', [line, 'host: a', 'x-a']],
  ['a folded line', [line, 'host: a', 'x-a: b', ' c']],
  ['a bare LF', [line, 'host: a', 'x-a: b\nx-c: d']],
  ['a bare CR', [line, 'host: a', 'x-a: b\rx-c: d']],
  ['a NUL', [line, 'host: a', 'x-a: b\0']],
  ['a DEL', [line, 'host: a', 'x-a: b\x7f']],
  ['a name outside of ASCII', [line, 'host: a', 'x-\xfc: b']],
  ['a signed length', [line, 'host: a', 'content-length: +2']],
  ['a hexadecimal length', [line, 'host: a', 'content-length: 0x2']],
  ['a list of lengths', [line, 'host: a', 'content-length: 2, 2']],
  ['an empty length', [line, 'host: a', 'content-length:']],
  ['a length of 16 digits', [line, 'host: a', 'content-length: 1000000000000000']],
  ['an expectation', [line, 'host: a', 'expect: 100-continue']],
  ['an upgrade', [line, 'host: a', 'upgrade: h2c']],
  ['another connection option', [line, 'host: a', 'connection: keep-alive, upgrade']],
  ['the connection option of a proxy', [line, 'host: a', 'proxy-connection: close']],
  ['the name of an inherited property', [line, 'host: a', '__proto__: b']],
  ['HTTP/1.0', ['GET / HTTP/1.0', 'host: a']],
  ['a host in its target', ['GET http://a/ HTTP/1.1', 'host: a']],
  ['the target *', ['GET * HTTP/1.1', 'host: a']],
  ['a space in its target', ['GET /a b HTTP/1.1', 'host: a']],
  ['a target outside of ASCII', ['GET /\xfc HTTP/1.1', 'host: a']],
  ['two spaces after the method', ['GET  / HTTP/1.1', 'host: a']],
  ['another method', ['HEAD / HTTP/1.1', 'host: a']],
  ['a method in lower case', ['get / HTTP/1.1', 'host: a']],
  ['an empty line before it', ['', line, 'host: a']],
])('a head with %s is not read, so that Node reads the request', (_, lines) => {
  expect(read(...lines)).toBe(null)
})

it('a head of up to 16 KiB with up to 100 fields is read', () => {
  const padded = (bytes: number): ReturnType<typeof read> => {
    const start = `${line}\r\nhost: a\r\nx-a: `
    return read(`${start}${'b'.repeat(bytes - start.length - 4)}`)
  }
  expect(padded(headLimits.bytesMax)?.bytes).toBe(headLimits.bytesMax)
  expect(padded(headLimits.bytesMax + 1)).toBe(null)
  const fields = (count: number): string[] => Array.from({ length: count }, (_, n) => `x-${n}: 1`)
  expect(read(line, 'host: a', ...fields(headLimits.fieldsMax - 1))).not.toBe(null)
  expect(read(line, 'host: a', ...fields(headLimits.fieldsMax))).toBe(null)
})

it('if the edge reads a head, Node reads the same request from the same bytes', async () => {
  const seed = seedOfRun()
  const rounds = 5_000
  const accepted = await withSeed(seed, () => compareHeads(randomFrom(seed), rounds))
  // Make sure that the edge accepts enough generated heads to compare with Node.
  expect(accepted).toBeGreaterThan(rounds / 5)
})
