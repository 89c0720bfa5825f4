import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sentenceOf } from '#web/ui/failure.tsx'
import { call } from '../../operations/use-operation.ts'
import { findUser } from '../../find-end-user.ts'
import { reloadAfter } from '../../operations/reload-outdated-responses.ts'
import { scopeOptions, useScope } from '../../application-and-mode.ts'
import type { GrantLine } from './parse-grant-lines.ts'

export interface Bulk {
  readonly phase: 'written' | 'checking' | 'checked' | 'granting' | 'done'
  readonly done: number
  readonly failed: number
  readonly balances: ReadonlyMap<string, string>
  readonly unknown: ReadonlySet<string>
  readonly granted: ReadonlySet<string>
  readonly failures: ReadonlyMap<string, string>
  readonly check: () => Promise<void>
  readonly grant: () => Promise<void>
}

/** Low, so that other users are not slowed down. */
const atOnce = 4

const nothing = {
  balances: new Map<string, string>(),
  unknown: new Set<string>(),
  granted: new Set<string>(),
  failures: new Map<string, string>(),
}

export function useBulkGrants(lines: readonly GrantLine[]): Bulk {
  const scope = useScope()
  const queries = useQueryClient()
  const content = lines.map(({ idempotencyKey }) => idempotencyKey).join()
  const [known, setKnown] = useState(nothing)
  const [phase, setPhase] = useState<Bulk['phase']>('written')
  const [done, setDone] = useState(0)
  const [of, setOf] = useState(content)
  if (of !== content && phase !== 'granting') {
    setOf(content)
    setPhase('written')
    setKnown(nothing)
  }
  const options = scopeOptions(scope)

  async function check(): Promise<void> {
    setPhase('checking')
    setDone(0)
    const balances = new Map<string, string>()
    const unknown = new Set<string>()
    const failures = new Map<string, string>()
    const wanted = [...Map.groupBy(lines, ({ externalId }) => externalId)].filter(([id]) => id !== '')
    await inTurns(wanted, async ([externalId, own]) => {
      try {
        const found = await findUser(externalId, scope)
        if (found) balances.set(externalId, found.balance.balanceUnits)
        else unknown.add(externalId)
      } catch (error) {
        for (const { idempotencyKey } of own) failures.set(idempotencyKey, sentenceOf(error))
      }
      setDone((before) => before + own.length)
    })
    setKnown({ balances, unknown, granted: new Set(), failures })
    setPhase('checked')
  }

  async function grant(): Promise<void> {
    setPhase('granting')
    const granted = new Set(known.granted)
    const failures = new Map<string, string>()
    setDone(granted.size)
    const left = lines.filter(({ idempotencyKey }) => !granted.has(idempotencyKey))
    await inTurns(left, async ({ externalId, idempotencyKey, micros, reason }) => {
      try {
        const input = { endUsers: [externalId], amountUnits: micros ?? '0', reason, idempotencyKey }
        await call('grants.issue', input, options)
        granted.add(idempotencyKey)
      } catch (error) {
        failures.set(idempotencyKey, sentenceOf(error))
      }
      setDone(granted.size)
      setKnown((before) => ({ ...before, granted: new Set(granted), failures: new Map(failures) }))
    })
    setPhase('done')
    await reloadAfter(queries, 'grants.issue')
  }

  return { phase, done, failed: known.failures.size, ...known, check, grant }
}

async function inTurns<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  const worker = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what it is for
    for (const one of left) await run(one)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
