/**
 * `traces-of-earlier-versions.txt` has one trace per line, and `traces-of-earlier-versions.explained.txt` the
 * explained phases of each trace.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RequestRecord } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { explainToEndUser, explainToTeam } from '#operations/requests/explain/explain-request.ts'
import { openControl, ready } from '../support/control-plane-without-socket.ts'
import { reserveCall } from '../support/valid-request-of-every-operation.ts'

/** The order of fields is not part of the contract. */
const sortedKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

const file = (name: string) => join(import.meta.dirname, name)

it('every stored form of a trace is explained as before', async () => {
  const control = await openControl({ engine: 'SQLite' })
  await ready(control)
  await control.call('POST', '/v1/grants', {
    body: { everyone: true, amountUnits: '1000000', reason: 'welcome' },
  })
  const { body: key } = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', name: 'ci' } })
  const { body: account } = await control.call('GET', '/v1/providers/main')
  const { read } = control.store
  const application = await read.applications.bySlug('acme')
  const organization = await read.organizations.byId(control.organizationId)
  if (application === null || organization === null) throw new Error('the setup is incomplete')
  const context = { application, mode: 'live', organization, store: read } as const

  const explained = async (trace: string): Promise<string> => {
    // An interrupted call was charged if the client received a part of the response.
    const isSettled = trace.startsWith('[') || trace.includes('"bytes":')
    const isReserved = isSettled || trace.includes('"reserve":{')
    const { nowMs } = control.clock
    const callId = isReserved ? await reserveCall(control, 'acme', key.id, null) : control.newId()
    const record: RequestRecord = {
      callId,
      applicationId: application.id,
      mode: 'live',
      endUserId: key.endUserId,
      keyId: key.id,
      alias: 'acme/smart',
      tags: null,
      target: { accountId: account.id, provider: 'openai_compatible', model: 'gpt-x' },
      wire: 'chat',
      streamed: true,
      status: isSettled ? 'settled' : isReserved ? 'released' : 'refused',
      httpStatus: isSettled ? 200 : 402,
      errorCode: isSettled ? null : 'upstream_error',
      atMs: nowMs,
      latencyMs: 1_450,
      firstByteMs: 530,
      trace,
    }
    const usage = { ...zeroUsage, input: 50, cacheRead: 10, output: 100 }
    if (isSettled)
      await control.ledger.settle({ callId, nowMs, usage, tokenSource: 'provider_reported', record })
    else if (isReserved) await control.ledger.release({ callId, nowMs, record })
    else await control.ledger.record(record)
    const whole = await explainToTeam(`req_${callId}`, context)
    const own = await explainToEndUser(`req_${callId}`, key.endUserId, context)
    if (whole === null || own === null) throw new Error('the request was not found')
    const { attempts, auth, policy, quote, refusal, reserve, route, stream, summary, timeline } = whole
    const seen = {
      team: { summary, timeline, auth, policy, quote, reserve, route, attempts, stream, refusal },
      wire: whole.usage?.inWireTerms,
      failed: whole.settle?.['failedAttemptsMicros'],
      endUser: {
        summary: own.summary,
        policy: own.policy,
        reserve: own.reserve,
        stream: own.stream,
        refusal: own.refusal,
      },
    }
    return JSON.stringify(seen, sortedKeys)
      .replaceAll(callId, '<request>')
      .replaceAll(key.id, '<key>')
      .replaceAll(key.keyPrefix ?? '', '<prefix>')
      .replaceAll(key.endUserId, '<end user>')
      .replaceAll(account.id, '<account>')
  }

  const lines: string[] = []
  for (const trace of readFileSync(file('traces-of-earlier-versions.txt'), 'utf8').trimEnd().split('\n'))
    lines.push(await explained(trace))
  await control.close()
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(file('traces-of-earlier-versions.explained.txt'))
})
