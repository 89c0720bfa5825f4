import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { targetFailureOf } from './classify-provider-failure.ts'
import { failureOfStatus, type Hearing } from './failure-with-provider-error.ts'

function read(wire: WireName, body: object): WireRequest {
  const path = { model: 'm', isStream: false, isJsonArray: false }
  const text = byteTextOf(JSON.stringify(body))
  const request = wires[wire].parseRequest(text, path, (_, offered) => offered)
  if ('kind' in request) throw new Error(request.reason)
  return request
}

const generate = (...parts: readonly object[]) => read('generate', { contents: [{ parts }] })
const messages = (more: object, ...content: readonly object[]) =>
  read('messages', {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, ...content] }],
    ...more,
  })
const chat = (url: string) =>
  read('chat', {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  })
const code = { type: 'code_execution_20260120', name: 'code_execution' }
const video = { fileData: { fileUri: 'https://youtu.be/a', mimeType: 'video/mp4' } }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function failureOf(status: number, request: WireRequest) {
  const plan = { account: { kind: 'google' }, target: { model: 'm' }, name: 'acme/m' }
  const ports = { upstream: { cleaner: () => (text: string) => text } }
  // The function under test reads only these fields.
  const hearing = { plan, ports, isSameWire: true, request } as unknown as Hearing
  const failure = failureOfStatus(status, null, '{"error":{"message":"no"}}', hearing)
  return { code: failure.code, status: failure.status, text: failure.message, at: targetFailureOf(failure) }
}

describe('a 403 or a 404 that a provider returns', () => {
  it.each([
    ['a file', generate({ fileData: { fileUri: 'files/a' } })],
    ['a file', messages({}, { type: 'document', source: { type: 'file', file_id: 'f' } })],
    ['a container', messages({ tools: [code], container: 'c' })],
    ['an address', generate(video)],
    ['an address', generate({ fileData: { fileUri: 'https://youtu.be/a', mimeType: 'image/png' } })],
    [
      'an address',
      messages({}, { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }),
    ],
    ['an address', chat('HTTPS://example.com/a.png')],
    ['a file or an address', generate({ fileData: { fileUri: 'files/a' } }, video)],
  ])('a 403 or 404 counts as an error of the request if the request contains %s', (reference, request) => {
    for (const status of [403, 404]) {
      const { at, code: known, status: told, text } = failureOf(status, request)
      expect([known, told, at]).toEqual(['upstream_rejected', 400, null])
      expect(text).toContain(
        `it returned ${status}, probably because it cannot use ${reference} in the request`,
      )
    }
    expect(failureOf(401, request).at).toBe('credential_rejected')
    expect(failureOf(500, request).at).toBe('server_error')
  })

  it.each([
    ['text', generate({ text: 'Hi' })],
    ['an image as data', generate({ inlineData: { mimeType: 'image/png', data: png } })],
    ['an image in a data URL', chat(`data:image/png;base64,${png}`)],
  ])(
    'a 403 or 404 counts as a failure of the target if the request contains only %s',
    (_content, request) => {
      expect(failureOf(403, request)).toMatchObject({
        code: 'upstream_unauthorized',
        at: 'credential_rejected',
      })
      expect(failureOf(404, request)).toMatchObject({ code: 'upstream_rejected', at: 'model_not_found' })
    },
  )
})
