import { setTimeout as delay } from 'node:timers/promises'
import { FamiliarSites } from '#domain/network/familiar-client-networks.ts'
import type { IdSource } from '#domain/ids-sorted-by-time.ts'
import type { Logger } from '#domain/log-interface.ts'
import { Passwords, type ScryptCost } from '#domain/people/hash-and-check-passwords.ts'
import type { Store } from '#domain/store-interface.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { FailedSignInLog } from '#operations/kernel/record-failed-sign-ins.ts'

interface SignInNeeds {
  readonly log: Logger
  readonly monotonicMs: () => number
  readonly newId: IdSource
  readonly passwordCost: ScryptCost
}

export interface SignInParts {
  readonly ports: Pick<Ports, 'familiarSites' | 'failedSignIns' | 'passwords'>
  close(): Promise<void>
}

/** Number of member sessions that are read at a start. */
const sessionsMax = 10_000
const writeAfterMs = 1_000

export async function assembleSignIns(
  store: Store,
  { log, monotonicMs, newId, passwordCost }: SignInNeeds,
): Promise<SignInParts> {
  const familiarSites = new FamiliarSites()
  // The sites (address ranges) of these sessions count as familiar. Otherwise, no site would be familiar after a
  // restart, and members would share the limit of strangers.
  const sessions = await store.read.memberSessions.addresses(sessionsMax)
  for (const { address, organizationId } of sessions.toReversed()) familiarSites.note(address, organizationId)
  const written = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (err) {
      log.warn({ err }, 'writing failed sign-ins to the audit log failed')
    }
  }
  const failedSignIns = new FailedSignInLog({
    store,
    newId,
    later: (work) => void setTimeout(() => void written(work), writeAfterMs).unref(),
  })
  const passwords = new Passwords({
    cost: passwordCost,
    monotonicMs,
    pause: (ms) => delay(ms),
    isFamiliar: (address) => familiarSites.organizationAt(address) !== null,
  })
  return {
    ports: { familiarSites, failedSignIns, passwords },
    close: () => written(() => failedSignIns.flush()),
  }
}
