import { expect, test } from 'vitest'
import { attentionOf } from './open-problems.ts'

const finding = (code: string, severity: 'error' | 'warning' | 'notice', type: string, id: string) => ({
  code,
  severity,
  resource: { type, id },
  message: `${code} of ${id}`,
  fix: { say: 'Do it.', call: null },
})
const nothing = { circuits: [], credentialsRefused: [], emitters: [] }

test('the most severe problem comes first, and each problem links to the page that fixes it', () => {
  const doctor = {
    findings: [
      finding('price_list_old', 'notice', 'price_list', '2026'),
      finding('balance_negative', 'warning', 'end_user', 'ada'),
      finding('name_unpriced', 'error', 'model', 'acme/fast'),
    ],
  }
  const shown = attentionOf(doctor, {
    ...nothing,
    circuits: [{ provider: 'main', model: 'gpt', state: 'open', until: null, why: '5 of 5 failed' }],
  })
  expect(shown.map(({ severity, to }) => [severity, to])).toEqual([
    ['error', '/models'],
    ['warning', '/providers'],
    ['warning', '/users/$id'],
    ['notice', '/doctor'],
  ])
  expect(shown[0]?.search).toEqual({ open: 'acme/fast' })
  expect(shown[2]?.params).toEqual({ id: 'ada' })
})

test('amounts of problems are in dollars', () => {
  const unpriced = {
    ...finding('balance_negative', 'warning', 'end_user', 'ada'),
    message: 'The wallet of ada has a balance of -9000 micros.',
    fix: { say: 'Replace the example rate of 1000000 micros per million tokens.', call: null },
  }
  const [shown] = attentionOf({ findings: [unpriced] }, nothing)
  expect([shown?.title, shown?.about]).toEqual([
    'The wallet of ada has a balance of \u2212$0.009.',
    'Replace the example rate of $1.00 per million tokens.',
  ])
})

test('a problem that health reports in more detail is not listed a second time', () => {
  const emitters = [
    {
      emitterId: 'emt_1',
      name: 'Billing',
      failingSince: '2026-11-20T10:00:00Z',
      notDelivered: 1,
      dropped: 0,
    },
    { emitterId: 'emt_2', name: 'Fine', failingSince: null, notDelivered: 9, dropped: 0 },
  ]
  const failing = ['main', 'spare'].map((id) => finding('account_failing', 'warning', 'provider', id))
  const doctor = { findings: [finding('emitter_failing', 'error', 'emitter', 'emt_1'), ...failing] }
  const circuit = {
    provider: 'main',
    model: 'gpt',
    state: 'open',
    until: null,
    why: '5 of 5 failed.',
  } as const
  const shown = attentionOf(doctor, { ...nothing, circuits: [circuit], emitters })
  expect(shown.map(({ title }) => title)).toEqual([
    'Deliveries to Billing are failing',
    'Requests are not routed to gpt at main',
    'account_failing of spare',
  ])
  expect(attentionOf(undefined, undefined)).toEqual([])
})
