import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import {
  filled,
  operationOf,
  sampleOf,
  send,
  settleCall,
  type Filled,
} from '../support/valid-request-of-every-operation.ts'

describe.each(testedEngines)('apps.rm on %s', (engine) => {
  let control: Control
  let ids: Filled
  beforeEach(async () => {
    control = await openControl({ engine })
    ids = await filled(control)
  })
  afterEach(async () => {
    await control.verify()
    await control.close()
  })

  const archive = () => control.call('DELETE', '/v1/apps/acme')

  it('an application is archived once, and repeats return the archived application', async () => {
    const was = await control.call('GET', '/v1/apps/acme')
    const first = await archive()
    expect(first.body).toEqual({ ...was.body, archivedAt: '2026-11-20T12:00:00.000Z' })
    control.clock.nowMs += 60_000
    expect((await archive()).body).toEqual(first.body)
    expect((await control.call('GET', '/v1/apps/acme')).body).toEqual(first.body)
    expect((await control.call('GET', '/v1/apps')).body.data).toEqual([first.body])
    const log = await control.call('GET', '/v1/audit?application=acme&operation=apps.rm')
    expect(log.body.data).toHaveLength(1)
  })

  it('an archived application accepts all reads with x-svc-app, and rejects all changes', async () => {
    // The archived flag is part of the response of `apps.current`. The doctor's response depends on the difference
    // between the clocks of the store and the process.
    const changing = new Set(['apps.current', 'doctor'])
    const reads = operations.filter(({ method, scope }) => method === 'GET' && scope === 'application')
    const read = async (): Promise<Map<string, string>> => {
      const answers = new Map<string, string>()
      for (const operation of reads) {
        const answer = await send(control, operation, sampleOf(operation, ids), { app: 'acme' })
        expect(answer.status, operation.id).toBe(200)
        if (!changing.has(operation.id)) answers.set(operation.id, answer.text)
      }
      return answers
    }
    const before = await read()
    await archive()
    expect(await read()).toEqual(before)
    const dump = await control.dump()
    const writes = operations.filter(({ method, scope }) => method !== 'GET' && scope === 'application')
    for (const operation of writes) {
      const answer = await send(control, operation, sampleOf(operation, ids), { app: 'acme' })
      expect([answer.status, answer.body.error.code], operation.id).toEqual([410, 'application_archived'])
    }
    expect(await control.dump()).toBe(dump)
  })

  it('a call in flight during the archiving ends and is charged', async () => {
    await archive()
    await settleCall(control, 'acme', ids.openCallId)
    const ledger = await control.call('GET', '/v1/end-users/user-1/ledger', { app: 'acme' })
    expect(ledger.body.data[0]).toMatchObject({ kind: 'usage_debit', amountUnits: '-450' })
  })

  it('a token whose active application is archived uses the only other application, and cannot activate an archived one', async () => {
    await control.call('POST', '/v1/apps/acme/use')
    await archive()
    expect((await control.call('GET', '/v1/models')).body.error.code).toBe('application_required')
    await control.call('PUT', '/v1/apps/next', { body: { name: 'Next' } })
    expect((await control.call('GET', '/v1/apps/current')).body.slug).toBe('next')
    expect((await control.call('POST', '/v1/apps/acme/use')).body.error.code).toBe('application_archived')
  })

  it('no organization can use the slug of an archived application again', async () => {
    await archive()
    const token = await control.found('Stranger')
    const theirs = await control.call('PUT', '/v1/apps/acme', { token, body: { name: 'Mine' } })
    expect(theirs.body.error.code).toBe('already_exists')
    const ours = await control.call('PUT', '/v1/apps/acme', { body: { name: 'Again' } })
    expect([ours.status, ours.body.error.code]).toEqual([410, 'application_archived'])
  })

  it('a provider account of an archived application can be deleted, and the application’s models are then shown without this account', async () => {
    expect((await control.call('DELETE', '/v1/providers/main')).body.error.code).toBe('in_use')
    await archive()
    expect((await control.call('DELETE', '/v1/providers/main')).status).toBe(200)
    const model = await control.call('GET', '/v1/models/acme/smart', { app: 'acme' })
    expect(model.body).toMatchObject({ name: 'acme/smart', sources: [], enabled: false })
  })

  it('every read operation works on an archived application after all provider accounts are deleted', async () => {
    await archive()
    const accounts = (await control.call('GET', '/v1/providers')).body.data
    for (const { label } of accounts) await control.call('DELETE', `/v1/providers/${label}`)
    expect((await control.call('GET', '/v1/providers')).body.data).toEqual([])
    const isOfTeam = (scope: string): boolean => scope === 'application' || scope === 'organization'
    const reads = operations.filter(({ method, scope }) => method === 'GET' && isOfTeam(scope))
    for (const operation of reads) {
      const { status, text } = await send(control, operation, sampleOf(operation, ids), { app: 'acme' })
      const about = `${operation.id}: ${text}`
      if (operation.scope === 'application') expect(status, about).toBe(200)
      // The provider account in the sample request is deleted.
      else expect(status, about).toBe(operation.path.includes('/providers/') ? 404 : 200)
    }
    expect(control.internal).toEqual([])
  })

  it('threat 8: removing an application of another organization returns 404 and writes nothing', async () => {
    const token = await control.found('Stranger')
    await control.call('PUT', '/v1/apps/theirs', { token, body: { name: 'Theirs' } })
    const before = await control.dump()
    const operation = operationOf('apps.rm')
    for (const app of [undefined, 'acme', 'theirs']) {
      const options = { token, ...(app !== undefined && { app }) }
      const answer = await send(control, operation, sampleOf(operation, ids), options)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
    expect(await control.dump()).toBe(before)
  })
})
