import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sentenceOf } from '#web/ui/failure.tsx'
import { call } from '../../operations/use-operation.ts'
import { findUser } from '../../find-end-user.ts'
import { reloadAfter } from '../../operations/reload-outdated-responses.ts'
import { scopeOptions, useScope } from '../../application-and-mode.ts'
import type { GrantLine } from './parse-grant-lines.ts'
import { contentOf, isOutdated, noProgress, withResult, type Progress } from './progress-of-bulk-grants.ts'

export interface Bulk extends Omit<Progress, 'of'> {
  readonly failed: number
  readonly check: () => Promise<void>
  readonly grant: () => Promise<void>
}

/** Low, so that other users are not slowed down. */
const atOnce = 4

export function useBulkGrants(lines: readonly GrantLine[]): Bulk {
  const scope = useScope()
  const queries = useQueryClient()
  const content = contentOf(lines, scope)
  const [progress, setProgress] = useState(() => noProgress(content))
  if (isOutdated(progress, content)) setProgress(noProgress(content))
  const tell = (result: Parameters<typeof withResult>[2]): void =>
    setProgress((before) => withResult(before, content, result))
  const options = scopeOptions(scope)

  async function check(): Promise<void> {
    tell({ phase: 'checking', done: 0 })
    let done = 0
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
      done += own.length
      tell({ done })
    })
    tell({ phase: 'checked', balances, unknown, granted: new Set(), failures })
  }

  async function grant(): Promise<void> {
    const granted = new Set(progress.granted)
    const failures = new Map<string, string>()
    tell({ phase: 'granting', done: granted.size })
    const left = lines.filter(({ idempotencyKey }) => !granted.has(idempotencyKey))
    await inTurns(left, async ({ externalId, idempotencyKey, micros, reason }) => {
      try {
        const input = { endUsers: [externalId], amountUnits: micros ?? '0', reason, idempotencyKey }
        await call('grants.issue', input, options)
        granted.add(idempotencyKey)
      } catch (error) {
        failures.set(idempotencyKey, sentenceOf(error))
      }
      tell({ done: granted.size, granted: new Set(granted), failures: new Map(failures) })
    })
    tell({ phase: 'done' })
    await reloadAfter(queries, 'grants.issue')
  }

  return { ...progress, failed: progress.failures.size, check, grant }
}

async function inTurns<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  const worker = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what it is for
    for (const one of left) await run(one)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
