import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PosterAnswer } from '#emitters/deliver-batch.ts'
import { suffixOf } from '#domain/ids-sorted-by-time.ts'
import { verifyWebhook } from '#sdk/webhook.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

interface Received {
  readonly event: string
  readonly data: {
    readonly batchId: string
    readonly body: string
    readonly headers: Readonly<Record<string, string>>
    readonly signingSecret: string
    readonly usageRecordIds: readonly string[]
  }
}

const secretOfVendor = 'metronome-token-0001'

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  let answer: PosterAnswer
  beforeEach(async () => {
    const poster = { send: async () => answer, close() {} }
    control = await openControl({ engine, poster })
    await ready(control)
    const grant = { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' }
    for (const mode of ['live', 'test'] as const)
      await control.call('POST', '/v1/grants', { body: grant, mode })
  })
  afterEach(async () => {
    assert.deepEqual(control.internal, [])
    await control.close()
  })

  /** Returns the ID of the usage record. */
  async function settled(mode: 'live' | 'test'): Promise<string> {
    const body = { endUserId: 'user-1', livemode: mode === 'live' }
    const key = await control.call('POST', '/v1/keys', { body, mode })
    const callId = await reserveCall(control, 'acme', key.body.id, null)
    await settleCall(control, 'acme', callId, {}, mode)
    const application = await control.store.read.applications.bySlug('acme')
    assert(application)
    // The hub reads only the fields that the test sets.
    control.callTail.told({ record: { applicationId: application.id, mode, callId, latencyMs: 0 } as never })
    return `ur_${callId}`
  }

  async function eventsOf(response: Response, count: number): Promise<Received[]> {
    assert(response.body)
    let text = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece
      if (text.split('\n\n').filter((one) => one.startsWith('event:')).length >= count) break
    }
    return Array.from(text.matchAll(/^event: (.+)\ndata: (.+)$/gm), ([, event = '', data = '']) => ({
      event,
      data: JSON.parse(data),
    }))
  }

  it('a listener receives the calls that settle in its mode, signed like a webhook with a constant secret', async () => {
    const response = await control.stream('/v1/emitters/listen', { mode: 'test' })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    await settled('live')
    const record = await settled('test')
    const [listening, batch] = await eventsOf(response, 2)
    expect([listening?.event, batch?.event]).toEqual(['listening', 'batch'])
    assert(batch && listening)
    const { body, headers, signingSecret, usageRecordIds } = batch.data
    expect(listening.data).toEqual({ signingSecret })
    expect(usageRecordIds).toEqual([record])
    const verified = await verifyWebhook(body, headers['svc-signature'] ?? null, signingSecret, {
      now: control.clock.nowMs,
    })
    expect(verified.id).toBe(batch.data.batchId)
    expect(headers['svc-idempotency-key']).toBe(batch.data.batchId)
    expect(verified.events.map(({ idempotencyKey }) => idempotencyKey)).toEqual([record])
    expect(body).not.toContain('Hello')

    const again = await control.stream('/v1/emitters/listen', { mode: 'test' })
    expect((await eventsOf(again, 1))[0]?.data.signingSecret).toBe(signingSecret)
    const live = await control.stream('/v1/emitters/listen')
    expect((await eventsOf(live, 1))[0]?.data.signingSecret).not.toBe(signingSecret)
  })

  it('a listener for on-demand usage does not receive batches without on-demand usage', async () => {
    const response = await control.stream('/v1/emitters/listen?amount=on_demand')
    const all = await control.stream('/v1/emitters/listen')
    await settled('live')
    await eventsOf(all, 2)
    const reader = response.body?.getReader()
    assert(reader)
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^event: listening\n/)
    // A pending batch would arrive within these turns of the event loop.
    const quiet = async (): Promise<null> => {
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
      return null
    }
    expect(await Promise.race([reader.read(), quiet()])).toBeNull()
    await reader.cancel()
  })

  it('a sample event is signed with the secret of listeners', async () => {
    const response = await control.stream('/v1/emitters/listen')
    const [listening] = await eventsOf(response, 1)
    const { body: sample } = await control.call('POST', '/v1/emitters/sample')
    expect(sample.signingSecret).toBe(listening?.data.signingSecret)
    const verified = await verifyWebhook(sample.body, sample.headers['svc-signature'], sample.signingSecret, {
      now: control.clock.nowMs,
    })
    expect(verified.events[0]?.usageRecordId).toBe(sample.usageRecordIds[0])
  })

  it('a viewer cannot get a signed sample, because a receiver would accept it as a real delivery', async () => {
    const viewer = await control.join('viewer@example.com', 'viewer')
    const refused = await control.call('POST', '/v1/emitters/sample', { session: viewer, token: null })
    expect(refused.body.error.code).toBe('role_required')
  })

  async function tested(body: object): Promise<Awaited<ReturnType<Control['call']>>> {
    const emitter = await control.call('POST', '/v1/emitters', { body })
    expect(emitter.status, emitter.text).toBe(200)
    const { body: sent } = await control.call('POST', `/v1/emitters/${emitter.body.id}/test`)
    return control.call('GET', `/v1/emitters/${emitter.body.id}/deliveries/${sent.batchId}`)
  }
  const webhook = { kind: 'webhook', url: 'https://hooks.example.com/usage' }

  it('a failed delivery shows the request and the response, without the credential', async () => {
    answer = { kind: 'answered', status: 403, text: `unknown token ${secretOfVendor} \0` }
    const vendor = { kind: 'vendor_a', apiToken: secretOfVendor, eventType: 'llm_call' }
    const { body } = await tested(vendor)
    expect(body).toMatchObject({ delivered: false, status: 403, responseBody: 'unknown token … ' })
    expect(JSON.parse(body.requestBody)[0].transaction_id).toBe(body.usageRecordIds[0])
  })

  it('no response is stored for a delivery that succeeded or received no response', async () => {
    answer = { kind: 'answered', status: 200, text: 'ok' }
    expect((await tested(webhook)).body).toMatchObject({ requestBody: null, responseBody: null })
    answer = { kind: 'refused', reason: 'the host is in a private network' }
    const { body } = await tested(webhook)
    expect(body).toMatchObject({ delivered: false, responseBody: null })
    expect(JSON.parse(body.requestBody).type).toBe('usage.recorded')
  })

  it('the bodies of a failed delivery are stored in shortened form, and deleted after a week', async () => {
    answer = { kind: 'answered', status: 400, text: 'é'.repeat(5_000) }
    const first = await tested(webhook)
    expect(first.body.responseBody).toHaveLength(2_048)
    const emitters = await control.call('GET', '/v1/emitters')
    const { id } = emitters.body.data[0]
    const path = `/v1/emitters/${id}/deliveries/${first.body.id}`
    control.clock.nowMs += 7 * 86_400_000
    expect((await control.call('GET', path)).body.requestBody).not.toBeNull()
    control.clock.nowMs += 1
    expect((await control.call('GET', path)).body).toMatchObject({ requestBody: null, responseBody: null })
    const stored = (): Promise<unknown> =>
      control.store.read.emitters.delivery(id, suffixOf('usgb', first.body.id) ?? '')
    expect(await stored()).not.toMatchObject({ requestBody: null })
    await control.call('POST', `/v1/emitters/${id}/test`)
    expect(await stored()).toMatchObject({ requestBody: null, responseBody: null })
  })
})
