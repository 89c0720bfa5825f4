import { describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { BodyIntake } from '#gateway/overload/limit-memory-of-bodies.ts'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { ownerOf } from './owner-of-body-memory.ts'
import { bodyBytesMax, readJsonBody } from './read-json-body.ts'

const terms = { bytesMax: bodyBytesMax, intake: new BodyIntake(gatewayLimits), owner: ownerOf(null) }

type Sent = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

function request(
  body: Sent,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  return new Request('http://localhost/', { method: 'POST', headers, body, ...(body && { duplex: 'half' }) })
}

async function codeOf(sent: Request): Promise<string> {
  try {
    await readJsonBody(sent, terms)
    return 'read'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

/** A body that arrives in pieces and whose length is not announced. */
function pieces(count: number, bytes: number): ReadableStream<Uint8Array> {
  let left = count
  return new ReadableStream({
    pull(controller) {
      if (left-- === 0) controller.close()
      else controller.enqueue(new Uint8Array(bytes).fill(0x20))
    },
  })
}

describe('reading a JSON body', () => {
  it('a missing body is read as an object without fields, whatever the content type is', async () => {
    expect(await readJsonBody(request(null), terms)).toEqual({})
    expect(await readJsonBody(request('', {}), terms)).toEqual({})
  })

  it('the size of a body is the number of received bytes, regardless of the length that the client announced', async () => {
    expect(await codeOf(request(pieces(17, 65_536)))).toBe('request_too_large')
    const lying = { 'content-type': 'application/json', 'content-length': '2' }
    expect(await codeOf(request(pieces(17, 65_536), lying))).toBe('request_too_large')
    const announced = { 'content-type': 'application/json', 'content-length': String(bodyBytesMax + 1) }
    expect(await codeOf(request('{}', announced))).toBe('request_too_large')
  })

  it('a body whose length equals the limit is accepted, and a body with one more byte is rejected', async () => {
    const fill = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    expect(await codeOf(request(fill(bodyBytesMax)))).toBe('read')
    expect(await codeOf(request(fill(bodyBytesMax + 1)))).toBe('request_too_large')
  })

  it('a body that is not UTF-8 is rejected', async () => {
    expect(await readJsonBody(request('{"a":"ü😀"}'), terms)).toEqual({ a: 'ü😀' })
    expect(await codeOf(request(new Uint8Array([0x22, 0xff, 0x22])))).toBe('invalid_json')
    expect(await codeOf(request(new Uint8Array([0x22, 0xc0, 0xaf, 0x22])))).toBe('invalid_json')
  })

  it('a repeated key is rejected at any depth, and equal keys in different objects are accepted', async () => {
    expect(await codeOf(request('{"a":[{"b":{"c":1,"c":2}}]}'))).toBe('invalid_json')
    expect(await codeOf(request('{"ü":1,"\\u00fc":2}'))).toBe('invalid_json')
    expect(await readJsonBody(request('{"a":{"b":1},"b":[{"a":1},{"a":1}]}'), terms)).toEqual({
      a: { b: 1 },
      b: [{ a: 1 }, { a: 1 }],
    })
  })

  it('a body with a million small values is rejected', async () => {
    expect(await codeOf(request(`[${'1,'.repeat(60_000)}1]`))).toBe('invalid_json')
  })
})
