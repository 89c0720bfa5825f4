/**
 * Every operation, with another organization's token and the first one's ids (docs/reference/threats.md
 * "Ids of others").
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { openControl, type Control } from '../support/control.ts'
import { filled, sampleOf, send, signIn, type Filled, type Sample } from '../support/samples.ts'

/** These make something of the caller's own under a name that the first organization has too. */
const makes = new Set(['apps.create', 'providers.connect', 'bundles.create', 'outcomes.add', 'team.invite'])

/** These answer the same to everybody. */
const shared = new Set(['catalog.show', 'portal.application'])

let control: Control
let ids: Filled
let stranger: string
/** A session of one of the stranger's people. */
let strangerSession: string
let secrets: string[]
let count = 0

beforeAll(async () => {
  control = await openControl()
  ids = await filled(control)
  const person = await control.call('GET', '/v1/end-users/user-1')
  const model = await control.call('GET', '/v1/providers/main')
  secrets = [
    ...Object.values(ids).filter((id) => typeof id === 'string'),
    control.organizationId,
    person.body.id,
    model.body.id,
    'one@example.com',
  ]
})
beforeEach(async () => {
  // A new one each time: what one of them makes of its own is not there for the next.
  count += 1
  stranger = await control.found(`Organization ${count}`)
  const own = { token: stranger }
  await control.call('PUT', `/v1/apps/beta-${count}`, { ...own, body: { name: 'Beta' } })
  await control.call('PUT', '/v1/bundles/only', { ...own, body: { displayName: 'Only' } })
  await control.call('PUT', '/v1/end-users/somebody', own)
  strangerSession = await signIn(control, 'somebody', own)
})
afterAll(() => control.close())

/** All that the first organization can read of itself. */
async function world(): Promise<string> {
  const answers = []
  for (const operation of operations) {
    if (operation.method !== 'GET') continue
    const answer = await send(control, operation, sampleOf(operation, ids), { app: 'acme' })
    expect(answer.status).toBe(200)
    answers.push(answer.text)
  }
  return answers.join('\n')
}

/** A refusal may say the id that was asked for, and nothing that was not said before. */
function expectNothing(text: string, asked: Sample): void {
  const said = JSON.stringify(asked)
  for (const secret of secrets) if (!said.includes(secret)) expect(text).not.toContain(secret)
}

describe('another organization', () => {
  it('gets nothing of a call in flight either', async () => {
    const answer = await control.call('GET', `/v1/requests/req_${ids.openCallId}`, { token: stranger })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
  })

  for (const operation of operations) {
    // Whoever calls these is nobody: what they are given in the request is the credential.
    if (operation.scope === 'public') continue
    it(`gets nothing of ${operation.id} by naming the application`, async () => {
      const before = await world()
      const answer = await send(control, operation, sampleOf(operation, ids), {
        token: operation.scope === 'end_user' ? strangerSession : stranger,
        app: 'acme',
      })
      if (operation.scope === 'application') {
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
      }
      expect(await world()).toBe(before)
      expectNothing(answer.text, sampleOf(operation, ids))
    })

    it(`gets nothing of ${operation.id} by naming ids`, async () => {
      const before = await world()
      const sample = sampleOf(operation, ids)
      const answer = await send(control, operation, sample, {
        token: operation.scope === 'end_user' ? strangerSession : stranger,
      })
      const namesOurs = sample.path !== undefined && !makes.has(operation.id) && !shared.has(operation.id)
      if (namesOurs && operation.id !== 'users.create') {
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
      }
      expect(await world()).toBe(before)
      expectNothing(answer.text, sample)
    })
  }
})
