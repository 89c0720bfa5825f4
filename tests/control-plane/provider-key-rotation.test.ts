import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, opened, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'

describe.each(testedEngines)('providers.rotate on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
  })
  afterEach(() => control.close())

  const rotate = (id: string, apiKey: string, headers = {}) =>
    control.call('POST', `/v1/providers/${id}/rotate`, { body: { apiKey }, headers })
  const stored = async () => control.store.read.providers.byLabel(control.organizationId, 'main')
  const version = async () => (await control.store.read.applications.bySlug('acme'))?.configVersion ?? 0

  it('a rotation replaces only the key, and raises the version of every application', async () => {
    const before = await control.call('GET', '/v1/providers/main')
    const versionBefore = await version()
    control.clock.nowMs += 60_000
    const answer = await rotate('main', 'sk-upstream-rotated-9876')
    expect(answer.body).toEqual({
      ...before.body,
      lastFour: '9876',
      credentialSetAt: '2026-11-20T12:01:00.000Z',
    })
    expect(answer.text).not.toContain('rotated')
    const provider = await stored()
    expect(opened(control, provider?.sealedCredential ?? null, provider?.id ?? '')).toBe(
      'sk-upstream-rotated-9876',
    )
    expect(await version()).toBe(versionBefore + 1)
  })

  it('threat 108: a rotation shows no key in responses, errors or the audit log', async () => {
    const answers = [
      await rotate('main', 'sk-upstream-rotated-9876'),
      await rotate('main', 'sk-upstream-rotated 9876'),
      await rotate('spare', 'sk-upstream-rotated-9876'),
      await control.call('GET', '/v1/audit'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200])
    const [change] = answers[3]?.body.data ?? []
    expect(change).toMatchObject({ operation: 'providers.rotate', after: { lastFour: '9876' } })
    for (const { text } of answers) expect(text).not.toMatch(/sk-upstream|rotated.9876/)
  })

  it('a rotation accepts a first key for an account without a key', async () => {
    await control.call('PUT', '/v1/providers/open', {
      body: { kind: 'openai_compatible', baseUrl: 'https://vllm.example.com/v1' },
    })
    expect((await rotate('open', 'sk-upstream-first-1111')).body).toMatchObject({ lastFour: '1111' })
  })

  it('a rotation is rejected if the kind of account has no key, or if the key is not a valid header value', async () => {
    const builtIn = await rotate('spare', 'sk-upstream-0003')
    const connected = await control.call('PUT', '/v1/providers/spare', {
      body: { kind: 'simulator', apiKey: 'sk-upstream-0003' },
    })
    expect(builtIn.body.error.param).toBe('apiKey')
    expect([builtIn.status, builtIn.body.error.message]).toEqual([400, connected.body.error.message])
    for (const key of ['', 'with space', 'line\nend', 'nul\u0000', 'ключ', 'x'.repeat(4097)]) {
      expect([key, (await rotate('main', key)).status]).toEqual([key, 400])
    }
    const provider = await stored()
    expect(opened(control, provider?.sealedCredential ?? null, provider?.id ?? '')).toBe('sk-upstream-0001')
  })

  it('only the first of two rotations that are based on the same read succeeds', async () => {
    const { headers } = await control.call('GET', '/v1/providers/main')
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }
    expect((await rotate('main', 'sk-upstream-one-1111', ifMatch)).status).toBe(200)
    expect((await rotate('main', 'sk-upstream-two-2222', ifMatch)).status).toBe(412)
  })

  it('a rotation finds no account of another organization', async () => {
    const token = await control.found('Other')
    const answer = await control.call('POST', '/v1/providers/main/rotate', {
      token,
      body: { apiKey: 'sk-upstream-stolen-1' },
    })
    expect(answer.status).toBe(404)
  })
})
