/** Threat 102: customers upload files that other users' browsers load. */
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '#domain/secrets/sha256.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { png } from '../support/valid-request-of-every-operation.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const set = (body: object, headers: Record<string, string> = {}) =>
  control.call('PATCH', '/v1/brand', { body, headers })
const upload = (bytes: Uint8Array, type = 'image/png', headers: Record<string, string> = {}) =>
  control.call('POST', '/v1/brand/logo', { file: { type, bytes }, headers })

describe('a brand', () => {
  it('an application without a brand shows its own name and defaults', async () => {
    const { body } = await control.call('GET', '/v1/brand')
    expect(body).toEqual({
      productName: 'acme',
      primaryColor: '#1f2937',
      textColor: '#ffffff',
      supportEmail: null,
      supportUrl: null,
      topUpUrl: null,
      payUrl: null,
      logo: null,
      contrast: { white: 14.67, black: 1.43, warning: null },
    })
  })

  it('omitted fields of a brand are kept, and null removes a field', async () => {
    await set({ productName: 'Acme Assistant', supportEmail: 'help@acme.example' })
    const blue = await set({ primaryColor: '#2563EB' })
    expect(blue.body).toMatchObject({
      productName: 'Acme Assistant',
      primaryColor: '#2563eb',
      supportEmail: 'help@acme.example',
    })
    const less = await set({ productName: null, supportEmail: null })
    expect(less.body).toMatchObject({ productName: 'acme', primaryColor: '#2563eb', supportEmail: null })
    expect((await control.call('GET', '/v1/brand')).body).toEqual(less.body)
  })

  it('a color that is hard to read is accepted with a warning', async () => {
    const yellow = await set({ primaryColor: '#ffee00' })
    expect(yellow.body).toMatchObject({ textColor: '#000000', contrast: { white: 1.2, black: 17.48 } })
    expect(yellow.body.contrast.warning).toContain('the contrast is 1.2:1')
    expect((await set({ primaryColor: '#767676' })).body.contrast.warning).toBeNull()
  })

  it('threat 102: a color is accepted in only one notation', async () => {
    for (const primaryColor of [
      '#fff',
      '#ffffff80',
      'red',
      '#ggffff',
      'ffffff',
      '#ffffff;}',
      '</style>',
      'rgb(0,0,0)',
      '#ffffff\n',
    ]) {
      const answer = await set({ primaryColor })
      expect([primaryColor, answer.status, answer.body.error?.param]).toEqual([
        primaryColor,
        400,
        'primaryColor',
      ])
    }
  })

  it('if two changes are based on the same read of a brand, only the first change succeeds', async () => {
    const etag = (await control.call('GET', '/v1/brand')).headers.get('etag') ?? ''
    expect((await set({ productName: 'One' }, { 'if-match': etag })).status).toBe(200)
    expect((await set({ productName: 'Two' }, { 'if-match': etag })).body.error.code).toBe(
      'precondition_failed',
    )
    expect((await upload(png, 'image/png', { 'if-match': etag })).body.error.code).toBe('precondition_failed')
  })
})

describe('threat 102: a logo', () => {
  it('a logo is served only as an image, without sign-in, at a permanent address, by the control plane and the portal', async () => {
    const { body } = await upload(png)
    expect(body.logo).toEqual({
      path: `/brand/logo/${sha256(png)}`,
      mediaType: 'image/png',
      widthPx: 1,
      heightPx: 1,
    })
    for (const place of [control, control.portal('acme')]) {
      for (const method of ['GET', 'HEAD']) {
        const { headers, status } = await place.call(method, body.logo.path, { token: null })
        expect(status).toBe(200)
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'image/png',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "sandbox; default-src 'none'",
          'cache-control': 'public, max-age=31536000, immutable',
        })
        expect(headers.has('set-cookie')).toBe(false)
      }
    }
    const { body: application } = await control.call('GET', '/v1/apps/acme')
    const code = (
      await control.call('POST', '/v1/keys', { body: { endUserId: 'ada' } })
    ).body.keyPrefix.split('_')[1]
    const told = await control.portal('acme').call('GET', `/v1/portal-applications/${code}`)
    expect([told.body.name, told.body.brand.logo]).toEqual([application.name, body.logo])
    const shown = await control.call('GET', '/v1/brand')
    expect(shown.body.logo).toEqual(body.logo)
  })

  it('a logo is served by the host of its own portal, and by no other host', async () => {
    const { path } = (await upload(png)).body.logo
    await control.call('PUT', '/v1/apps/beta', { body: { name: 'Beta' } })
    expect((await control.portal('beta').call('GET', path)).status).toBe(404)
    for (const wrong of ['/brand/logo/', '/brand/logo/x', `/brand/logo/${'0'.repeat(64)}`, `${path}.svg`]) {
      expect([(await control.portal('acme').call('GET', wrong)).status, wrong]).toEqual([404, wrong])
      expect((await control.call('GET', wrong, { token: null })).status).toBe(404)
    }
  })

  it('a new logo replaces the old logo, and a logo can be removed', async () => {
    const first = (await upload(png)).body.logo.path
    const other = Buffer.concat([png.subarray(0, 33), textChunk(), png.subarray(33)])
    // The server removes the text chunk, so the second upload has the same content as the first.
    expect((await upload(other)).body.logo.path).toBe(first)
    expect((await control.call('DELETE', '/v1/brand/logo')).body.logo).toBeNull()
    expect((await control.call('GET', first)).status).toBe(404)
    expect((await control.call('DELETE', '/v1/brand/logo')).status).toBe(404)
  })

  it('a logo must be a PNG, JPEG or WebP file of at most 512 KiB that matches its declared type', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const before = await control.dump()
    for (const [bytes, type, status, code] of [
      [svg, 'image/svg+xml', 415, 'unsupported_media_type'],
      [svg, 'image/png', 422, 'invalid_file'],
      [png, 'image/jpeg', 422, 'invalid_file'],
      [png, 'image/webp', 422, 'invalid_file'],
      [png, 'text/html', 415, 'unsupported_media_type'],
      [Buffer.concat([png, svg]), 'image/png', 422, 'invalid_file'],
      [png.subarray(0, 40), 'image/png', 422, 'invalid_file'],
      [new Uint8Array(0), 'image/png', 422, 'invalid_file'],
      [Buffer.concat([png, Buffer.alloc(512 * 1024)]), 'image/png', 413, 'request_too_large'],
    ] as const) {
      const answer = await upload(bytes, type)
      expect([answer.status, answer.body.error.code], type).toEqual([status, code])
    }
    expect((await upload(svg, 'image/svg+xml')).body.error.message).toContain(
      'image/png, image/jpeg, image/webp',
    )
    const zipped = await upload(png, 'image/png', { 'content-encoding': 'gzip' })
    expect(zipped.body.error.code).toBe('unsupported_media_type')
    expect(await control.dump()).toBe(before)
  })

  it('a repeated upload with the same Idempotency-Key returns the first response, and another file with this key is rejected', async () => {
    const headers = { 'idempotency-key': 'logo' }
    const first = await upload(png, 'image/png', headers)
    expect((await upload(png, 'image/png', headers)).text).toBe(first.text)
    const other = await upload(
      Buffer.concat([png.subarray(0, 33), textChunk(), png.subarray(33)]),
      'image/png',
      headers,
    )
    expect(other.body.error.code).toBe('idempotency_mismatch')
  })
})

function textChunk(): Buffer {
  const chunk = Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1')
  chunk.writeUInt32BE(crc32('tEXt'), 8)
  return chunk
}
