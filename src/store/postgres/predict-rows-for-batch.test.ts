import { describe, expect, it } from 'vitest'
import type { ApplicationCell, BundleCell, KeyCell, Person } from '#store/ledger/state-types.ts'
import type { EndUserLimit } from '#domain/end-user-record.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import { type CallOwner, forecastOf, PrefetchHints } from './predict-rows-for-batch.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const key: KeyCell = {
  id: 'key_2',
  applicationId: 'app_1',
  endUserId: 'eu_1',
  mode: 'live',
  lineId: 'key_1',
  isPortalLine: true,
  capMicros: 5n,
  capPeriod: 'day',
  rates: [],
  revokedAtMs: null,
  expiresAtMs: null,
  lastUsedAtMs: null,
}
const bundle: BundleCell = {
  id: 'bun_1',
  slug: 'pro',
  interval: 'month',
  spendLimitMicros: 9n,
  spendLimitPeriod: 'week',
  rates: [],
  includes: { live: [], test: [] },
}
const application: ApplicationCell = {
  configVersion: 1,
  isArchived: false,
  testClockOffsetMs: 0,
  portalTotal: { window: 'month', micros: 7n },
}

function personWith(limits: readonly EndUserLimit[]): Person {
  return {
    endUserId: 'eu_1',
    applicationId: 'app_1',
    mode: 'live',
    isFrozen: false,
    isRemoved: false,
    bundleId: 'bun_1',
    bundleUntilMs: Infinity,
    subscribedAtMs: 0,
    bundleSinceMs: 0,
    payer: null,
    hasShares: false,
    onDemand: { isEnabled: false, limitMicros: null, untilMs: null, closedUntilMs: 0 },
    limits,
    rates: [],
    uses: [],
    lineUses: new Map(),
    cells: [],
    sources: [],
    completeUntilMs: 0,
    completeFor: null,
    runs: new Map(),
    spends: new Map(),
  }
}

const limits = [{ window: 'total', micros: 3n }] as const

/** The rows that the next extension of the end user's call reads. */
function needsOfExtension(hints: PrefetchHints): ReturnType<typeof forecastOf>['needs'] {
  const owners = new RenewedMap<CallOwner>()
  owners.set('call', { endUserId: 'eu_1', mode: 'live', keyId: 'key_2', outcome: null })
  const operation = { kind: 'extend', request: { callId: 'call', nowMs, moreOutputTokens: 1 } } as const
  return forecastOf(operation, owners, hints).needs
}

describe('the first round trip of a batch reads the spending under every limit', () => {
  it('a batch reads the spending under the limits of the key line, the portal keys, the plan and the end user', () => {
    const hints = new PrefetchHints()
    hints.see({
      applications: [['app_1', application]],
      bundles: [bundle],
      keys: [key],
      people: [personWith(limits)],
    })
    const needs = needsOfExtension(hints)
    const spent = needs.flatMap((need) => (need.kind === 'spent' ? [[need.spender, need.toDay]] : []))
    const days = (atMs: number): number => atMs / 86_400_000
    expect(spent).toEqual([
      ['key_1', days(Date.UTC(2026, 10, 21))],
      ['portal', days(Date.UTC(2026, 11, 1))],
      ['', days(Date.UTC(2026, 10, 23))],
      ['', null],
    ])
    expect(needs).toContainEqual({ kind: 'application', id: 'app_1' })
    expect(needs).toContainEqual({ kind: 'holds_of', endUserId: 'eu_1', mode: 'live' })
  })

  it('after the limits of an end user are removed, a batch no longer reads spending for them', () => {
    const hints = new PrefetchHints()
    const seen = { applications: [], bundles: [], keys: [{ ...key, capMicros: null }] }
    hints.see({ ...seen, people: [personWith(limits)] })
    expect(needsOfExtension(hints).filter(({ kind }) => kind === 'spent')).toHaveLength(1)
    hints.see({ ...seen, people: [personWith([])] })
    expect(needsOfExtension(hints).filter(({ kind }) => kind === 'spent')).toEqual([])
  })
})
