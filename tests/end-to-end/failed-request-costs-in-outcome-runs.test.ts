import { describe, expect, test } from 'vitest'
import { eventually, makeApplication, startServer } from '../support/start-product.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { databaseOf } from '../support/reused-databases.ts'

/** The provider reports the usage of the input and then fails. */
const failing = [
  { id: 'c1', model: 'm', choices: [], usage: { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 } },
  { error: { message: 'overloaded', type: 'server_error' } },
]
const body = failing.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')

describe.each(testedEngines)('a failed request adds its cost to its outcome run, on %s', (engine) => {
  test('the provider cost of a failed request counts toward its run, but the request does not count as a call of the run', async () => {
    const store = await databaseOf(engine)
    const server = await startServer(store === null ? {} : { databaseUrl: store.url })
    const acme = await makeApplication(server)
    await acme.api('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '5000000' })
    const user = await acme.newUser({ balanceMicros: 1_000_000n })
    const send = (runId: string) =>
      acme.call(user, { stream: true, max_tokens: 10, svc: { outcome: 'report', outcome_id: runId } })

    acme.provider.script({ usage: { prompt_tokens: 20, completion_tokens: 5 } })
    const answered = await send('run-1')
    expect(answered.status).toBe(200)
    acme.provider.script({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })
    const failed = await send('run-1')
    expect(failed.status).toBe(502)
    const explained = (id: string | null) => eventually(() => acme.api('GET', `/v1/requests/${id}`))
    const charged = await explained(answered.headers.get('x-request-id'))
    const lost = await explained(failed.headers.get('x-request-id'))
    expect(lost).toMatchObject({ status: 'released', chargeMicros: '0' })
    expect(BigInt(lost.costMicros) > 0n).toBe(true)
    expect(lost.policy).toMatchObject({ outcome: 'report', run: 'run-1' })

    const { data, totals } = await acme.api('GET', '/v1/margin?by=run')
    expect(data).toMatchObject([
      {
        run: { outcome: 'report', runId: 'run-1', endUserId: user.externalId },
        calls: 1,
        costMicros: String(BigInt(charged.costMicros) + BigInt(lost.costMicros)),
        chargeMicros: charged.chargeMicros,
      },
    ])
    expect(totals.costMicros).toBe(data[0].costMicros)

    // The trace contains the run's ID, so text that PostgreSQL cannot store is rejected.
    const refused = await send('\ud800')
    expect([refused.status, refused.body.error.param]).toEqual([400, 'svc.outcome_id'])
    await acme.provider.close()
    await server.close()
  })
})
