/**
 * One valid request with an effect per operation, on the data of `ready` and `filled`. Tests generated from the table
 * start from these and break one thing at a time.
 */
import assert from 'node:assert/strict'
import type { Mode } from '#domain/account.ts'
import type { ReserveResult } from '#domain/ledger.ts'
import { timeIn } from '#domain/test-clock.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/operation.ts'
import { ready, type Control } from './control.ts'
import { zeroUsage } from '#money/usage.ts'

export interface Sample {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** Ids that only a running store knows. */
export interface Filled {
  readonly tokenId: string
  readonly keyId: string
  readonly grantId: string
  /** Of `debtor`, whose subscription is cancelled; open. */
  readonly invoiceId: string
  /** A call that was settled. */
  readonly callId: string
  /** A call in flight. */
  readonly openCallId: string
}

/** The data of `ready`, and besides: a key, a run with two calls, an include, a second token. */
export async function filled(control: Control, slug = 'acme', token?: string): Promise<Filled> {
  await ready(control, slug, token)
  const options = { app: slug, ...(token !== undefined && { token }) }
  const key = await control.call('POST', '/v1/keys', { ...options, body: { endUserId: 'user-1' } })
  const made = await control.call('POST', '/v1/application-keys', { ...options, body: { label: 'second' } })
  const steps: readonly (readonly [string, string, unknown])[] = [
    ['PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '5000000' }],
    ['PUT', '/v1/bundles/pro', { displayName: 'Pro', priceMicros: '20000000' }],
    [
      'POST',
      '/v1/bundles/pro/include',
      { slug: 'base', displayName: 'Base', unit: 'micros', amount: '1000000' },
    ],
    ['PUT', '/v1/end-users/debtor', { bundle: 'pro' }],
    ['POST', '/v1/end-users/debtor/subscription/cancel', { atPeriodEnd: true }],
    ['POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' }],
  ]
  for (const [method, path, body] of steps) {
    const answer = await control.call(method, path, { ...options, body })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  }
  const callId = await reserveCall(control, slug, key.body.id)
  await settleCall(control, slug, callId)
  const openCallId = await reserveCall(control, slug, key.body.id)
  const grants = await control.call('GET', '/v1/grants', options)
  const invoices = await control.call('GET', '/v1/invoices', options)
  return {
    tokenId: made.body.id,
    keyId: key.body.id,
    grantId: grants.body.data[0].id,
    invoiceId: invoices.body.data[0].id,
    callId,
    openCallId,
  }
}

/** A call of `user-1` in flight, in a run of `report`. @returns its id */
export async function reserveCall(
  control: Control,
  slug: string,
  keyId: string,
  outcome: { slug: string; runId: string; ceilingMicros: bigint } | null = {
    slug: 'report',
    runId: 'run-1',
    ceilingMicros: 5_000_000n,
  },
): Promise<string> {
  const application = await control.store.read.applications.bySlug(slug)
  const key = await control.store.read.keys.byId(application?.id ?? '', keyId)
  const person = await control.store.read.endUsers.byId(application?.id ?? '', key?.endUserId ?? '')
  assert(application && key && person?.bundleId)
  const price = { input: 1_000_000n, output: 4_000_000n }
  const callId = control.newId()
  const reserved = await control.ledger.reserve({
    callId,
    applicationId: application.id,
    configVersion: application.configVersion,
    keyId,
    endUserId: key.endUserId,
    bundleId: person.bundleId,
    mode: key.mode,
    nowMs: timeIn(key.mode, application, control.clock.nowMs),
    quote: {
      id: 'quote-1',
      cost: price,
      sell: price,
      basis: 'provider_cost',
      credits: null,
      policy: 'hard_token',
      maxOverdraftMicros: 0n,
    },
    bound: {
      alias: 'acme/smart',
      textTokens: 100,
      audioTokens: 0,
      imageTokens: 0,
      outputTokens: 200,
      choices: 1,
      serviceTier: null,
      canReport: { cacheWrite: true, cacheWriteLong: true, audioOutput: true, imageOutput: true },
    },
    outcome,
    target: { accountId: 'pa_1', provider: 'openai_compatible', model: 'gpt-x' },
    inputEstimate: 80,
  })
  if (reserved.kind !== 'reserved') throw new NotReserved(reserved)
  return callId
}

/** The call was refused. */
export class NotReserved extends Error {
  readonly result: Exclude<ReserveResult, { kind: 'reserved' }>

  constructor(result: Exclude<ReserveResult, { kind: 'reserved' }>) {
    super(result.kind === 'refused' ? `a call is refused: ${result.code}` : 'a call is stale')
    this.result = result
  }
}

/** Ends a call that `reserveCall` has begun: 50 tokens in, 100 out, 450 micros. */
export async function settleCall(
  control: Control,
  slug: string,
  callId: string,
  mode: Mode = 'live',
): Promise<void> {
  const application = await control.store.read.applications.bySlug(slug)
  assert(application)
  const story = await control.store.read.requests.story(application.id, mode, callId)
  assert(story)
  const nowMs = timeIn(mode, application, control.clock.nowMs)
  await control.ledger.settle({
    callId,
    nowMs,
    usage: { ...zeroUsage, input: 50, output: 100 },
    tokenSource: 'provider_reported',
    record: {
      callId,
      applicationId: application.id,
      mode: story.call.mode,
      endUserId: story.call.endUserId,
      keyId: story.call.keyId,
      alias: 'acme/smart',
      wire: 'chat',
      streamed: false,
      status: 'settled',
      httpStatus: 200,
      errorCode: null,
      atMs: nowMs,
      latencyMs: 120,
      firstByteMs: 40,
      trace: JSON.stringify({
        auth: { keyId: story.call.keyId },
        attempts: [{ status: 200 }],
        stream: { end: 'done' },
      }),
    },
  })
}

export function sampleOf({ id }: Operation, { callId, grantId, invoiceId, keyId, tokenId }: Filled): Sample {
  const price = { input: '1', output: '2' }
  const samples: Readonly<Record<string, Sample>> = {
    'auth.whoami': {},
    'auth.token': {},
    'tokens.create': { body: { label: 'third' } },
    'tokens.list': {},
    'tokens.revoke': { path: { id: tokenId } },
    'apps.create': { path: { slug: 'other' }, body: { name: 'Other' } },
    'apps.list': {},
    'apps.show': { path: { slug: 'acme' } },
    'apps.use': { path: { slug: 'acme' } },
    'apps.current': {},
    'providers.connect': {
      path: { label: 'main' },
      body: {
        kind: 'openai_compatible',
        baseUrl: 'https://other.example.com/v1',
        apiKey: 'sk-upstream-0002',
      },
    },
    'providers.list': {},
    'providers.show': { path: { id: 'main' } },
    'providers.models': { path: { id: 'main' } },
    'catalog.providers': {},
    'catalog.models': { query: { provider: 'anthropic' } },
    'catalog.show': { path: { name: 'anthropic/claude-opus-5-5' } },
    'providers.price': { path: { id: 'main' }, body: { model: 'gpt-y', price } },
    'providers.rm': { path: { id: 'spare' } },
    'models.add': { path: { name: 'acme/fast' }, body: { sources: [{ provider: 'main', model: 'gpt-y' }] } },
    'models.list': {},
    'models.show': { path: { name: 'acme/smart' } },
    'models.enable': { path: { name: 'acme/smart' } },
    'models.disable': { path: { name: 'acme/smart' } },
    'models.rm': { path: { name: 'acme/smart' } },
    'bundles.create': { path: { slug: 'team' }, body: { displayName: 'Team' } },
    'bundles.list': {},
    'bundles.show': { path: { slug: 'free' } },
    'bundles.edit': { path: { slug: 'free' }, body: { spendLimitMicros: '5000000' } },
    'bundles.allow': { path: { slug: 'pro' }, body: { models: ['acme/*'] } },
    'bundles.deny': { path: { slug: 'free' }, body: { models: ['acme/smart'] } },
    'bundles.default': { path: { slug: 'pro' } },
    'bundles.price': { path: { slug: 'free' }, body: { model: 'acme/smart', price } },
    'bundles.include': {
      path: { slug: 'free' },
      body: { slug: 'extra', displayName: 'Extra', unit: 'credits', amount: '1000000' },
    },
    'users.create': { path: { externalId: 'user-2' }, body: { email: 'two@example.com' } },
    'users.list': {},
    'users.show': { path: { externalId: 'user-1' } },
    'users.freeze': { path: { externalId: 'user-1' } },
    'users.unfreeze': { path: { externalId: 'user-1' } },
    'users.ledger': { path: { externalId: 'user-1' } },
    'users.subscribe': { path: { externalId: 'user-1' }, body: { bundle: 'pro' } },
    'subscription.show': { query: { endUserId: 'user-1' } },
    'subscription.cancel': { path: { externalId: 'user-1' }, body: { atPeriodEnd: true } },
    'subscription.resume': { path: { externalId: 'debtor' } },
    'subscription.onDemand': { body: { endUserId: 'user-1', enabled: true, limitMicros: '5000000' } },
    'keys.mint': { body: { endUserId: 'user-1' } },
    'keys.list': {},
    'keys.show': { path: { id: keyId } },
    'keys.cap': { path: { id: keyId }, body: { capMicros: '1000000' } },
    'keys.revoke': { path: { id: keyId } },
    'grants.issue': { body: { endUsers: ['user-1'], amountUnits: '1000', reason: 'thanks' } },
    'grants.list': {},
    'grants.show': { path: { id: grantId } },
    'invoices.list': { query: { endUserId: 'debtor' } },
    'invoices.show': { path: { id: invoiceId } },
    'invoices.pay': { path: { id: invoiceId } },
    'invoices.void': { path: { id: invoiceId } },
    'testClock.show': {},
    'testClock.advance': { body: { to: '2027-02-01T00:00:00Z' } },
    usage: { query: { endUserId: 'user-1' } },
    'outcomes.add': { path: { slug: 'summary' }, body: { displayName: 'Summary', ceilingMicros: '1000000' } },
    'outcomes.list': {},
    'outcomes.show': { path: { slug: 'report' } },
    'outcomes.runs': { path: { slug: 'report' } },
    'outcomes.finish': { path: { slug: 'report', id: 'run-1' }, body: { status: 'done' } },
    'requests.list': {},
    'requests.explain': { path: { id: `req_${callId}` } },
    health: {},
  }
  const sample = samples[id]
  assert(sample, `tests/support/samples.ts lacks a sample of ${id}`)
  return sample
}

/** The target of a sample's request. */
export function urlOf({ path }: Operation, sample: Sample): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(sample.path?.[name] ?? ''),
  )
  const query = new URLSearchParams(sample.query).toString()
  return query === '' ? filledPath : `${filledPath}?${query}`
}

/** Sends a sample. */
export async function send(
  control: Control,
  operation: Operation,
  sample: Sample,
  options: Parameters<Control['call']>[2] = {},
): ReturnType<Control['call']> {
  const hasBody = sample.body !== undefined && operation.input.body !== null
  return control.call(operation.method, urlOf(operation, sample), {
    ...(hasBody && { body: sample.body }),
    ...options,
  })
}

export function operationOf(id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id)
  assert(operation, `there is no operation ${id}`)
  return operation
}
