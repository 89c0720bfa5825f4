import { Tollgate } from '#sdk/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine, fetchOf, type CommandLine } from '../support/run-command-line-in-process.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

let control: Control
let shell: CommandLine
let client: Tollgate
beforeAll(async () => {
  control = await openControl()
  await ready(control)
  const fetch = fetchOf(control)
  shell = commandLine({
    fetch,
    env: { TOLLGATE_BASE_URL: 'http://control.test', TOLLGATE_TOKEN: control.token, TOLLGATE_APP: 'acme' },
  })
  client = new Tollgate({ baseUrl: 'http://control.test', token: control.token, app: 'acme', fetch })
})
afterAll(async () => {
  shell.close()
  await control.close()
})

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects
async function printed(...words: string[]): Promise<any> {
  const { err, exitCode, out } = await shell.run([...words, '--json'])
  expect([exitCode, err], words.join(' ')).toEqual([0, ''])
  return JSON.parse(out)
}

const ways = {
  'the command line': {
    topUp: (who: string, amountUnits: string, paymentReference: string) =>
      printed('users', 'top-up', who, '--amount-units', amountUnits, '--payment-reference', paymentReference),
    adjust: (who: string, amountUnits: string, reason: string) =>
      printed('users', 'adjust', who, `--amount-units=${amountUnits}`, '--reason', reason),
    refund: (id: string, amountUnits: string, reason: string) =>
      printed('requests', 'refund', id, '--amount-units', amountUnits, '--reason', reason),
    reverse: (id: string, reason: string) => printed('grants', 'reverse', id, '--reason', reason),
  },
  'the SDK': {
    topUp: (externalId: string, amountUnits: string, paymentReference: string) =>
      client.users.topUp({ externalId, amountUnits, paymentReference }),
    adjust: (externalId: string, amountUnits: string, reason: string) =>
      client.users.adjust({ externalId, amountUnits, reason }),
    refund: (id: string, amountUnits: string, reason: string) =>
      client.requests.refund({ id, amountUnits, reason }),
    reverse: (id: string, reason: string) => client.grants.reverse({ id, reason }),
  },
}

describe.each(Object.entries(ways))('corrections by %s', (name, way) => {
  const who = `corrected-${name.length}`

  it('corrections appear on the ledger in their order, each with its reason', async () => {
    await client.users.create({ externalId: who, bundle: 'free' })
    const reference = `pay ${who}`
    await way.topUp(who, '5000', reference)
    // A repeated top-up with the same reference adds no money.
    await way.topUp(who, '5000', reference)
    await way.adjust(who, '-40', 'Counted twice')
    const requestId = await settledRequest(who)
    await way.refund(requestId, '1', 'The response was empty')
    const grant = await client.grants.issue({ endUsers: [who], amountUnits: '300', reason: 'Welcome' })
    await way.reverse(grant.id, 'Wrong person')

    const { data } = await client.users.ledger({ externalId: who })
    const entries = data
      .toReversed()
      .map(({ amountUnits, kind, reason }) => [kind, amountUnits, reason ?? ''])
    expect(entries).toEqual([
      ['topup', '5000', 'top-up'],
      ['adjustment', '-40', 'Counted twice'],
      ['usage_debit', '-450', ''],
      ['refund', '1', 'The response was empty'],
      ['grant', '300', 'Welcome'],
      ['reversal', '-300', 'Wrong person'],
    ])
    const { balance } = await client.users.show({ externalId: who })
    expect(balance.balanceUnits).toBe('4511')
  })

  it('a rejected correction is reported with its amounts', async () => {
    await expect(
      client.users.adjust({ externalId: who, amountUnits: '-999999', reason: 'Too much' }),
    ).rejects.toThrow('At most $0.004511 can be subtracted now.')
    const { err, exitCode } = await shell.run([
      'users',
      'adjust',
      who,
      '--amount-units=-999999',
      '--reason',
      'Too much',
    ])
    expect(exitCode).not.toBe(0)
    expect(err).toContain('At most $0.004511 can be subtracted now.')
  })
})

/** The end user's wallet pays for the call. */
async function settledRequest(endUserId: string): Promise<string> {
  const key = await client.keys.mint({ endUserId })
  const callId = await reserveCall(control, 'acme', key.id)
  await settleCall(control, 'acme', callId)
  return `req_${callId}`
}
