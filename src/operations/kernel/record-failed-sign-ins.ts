import { siteOf } from '#domain/network/address-ranges.ts'
import { idOf, type IdSource } from '#domain/ids-sorted-by-time.ts'
import { type FailedSignInHour, otherSites } from '#domain/people/failed-sign-ins.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { Store } from '#domain/store-interface.ts'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'

/** The audit log keeps failed sign-ins for longer than this. */
export const countedMs = 30 * dayMs
/** Entries that wait to be written, one per account, site and hour. */
const waitingMax = 1_000

export interface FailedSignIn {
  readonly member: Pick<Member, 'id' | 'organizationId' | 'email'>
  readonly address: string
  readonly operationId: string
  readonly requestId: string
  readonly atMs: number
}

export interface FailedSignInLogDeps {
  readonly store: Store
  readonly newId: IdSource
  /** No caller waits for the result of the work. */
  readonly later: (work: () => Promise<void>) => void
}

interface Waiting {
  readonly first: FailedSignIn
  hour: FailedSignInHour
}

/**
 * Writes failed sign-ins to the audit log: one entry per account, site and hour, with a count. The entries are written
 * after the response, several per transaction. If the response waited for the write, its timing would reveal which
 * accounts exist.
 */
export class FailedSignInLog {
  readonly #deps: FailedSignInLogDeps
  readonly #waiting = new Map<string, Waiting>()

  constructor(deps: FailedSignInLogDeps) {
    this.#deps = deps
  }

  note(failed: FailedSignIn): void {
    const { address, atMs, member } = failed
    const hour = {
      memberId: member.id,
      organizationId: member.organizationId,
      hourMs: atMs - (atMs % hourMs),
      site: this.#waiting.size < waitingMax ? siteOf(address) || otherSites : otherSites,
      lastAddress: address,
      lastAtMs: atMs,
    }
    const key = `${member.id} ${hour.hourMs} ${hour.site}`
    const known = this.#waiting.get(key)
    if (known) {
      known.hour = { ...known.hour, ...hour, failures: known.hour.failures + 1 }
      return
    }
    const auditId = idOf('aud', this.#deps.newId())
    this.#waiting.set(key, { first: failed, hour: { ...hour, failures: 1, firstAtMs: atMs, auditId } })
    if (this.#waiting.size === 1) this.#deps.later(() => this.flush())
  }

  /** If the write fails, the entries are dropped, so that entries do not accumulate. */
  async flush(): Promise<void> {
    const waiting = [...this.#waiting.values()]
    if (waiting.length === 0) return
    this.#waiting.clear()
    // A common order of writes prevents deadlocks between processes.
    const inOrder = waiting.toSorted(({ hour: one }, { hour: other }) =>
      orderOf(one) < orderOf(other) ? -1 : 1,
    )
    await this.#deps.store.transaction(async (nouns) => {
      for (const { first, hour: failures } of inOrder) {
        const hour = await nouns.failedSignIns.add(failures)
        const after = JSON.stringify({
          failures: hour.failures,
          site: hour.site,
          firstAt: new Date(hour.firstAtMs).toISOString(),
          lastAt: new Date(hour.lastAtMs).toISOString(),
        })
        if (hour.auditId !== failures.auditId) {
          await nouns.audit.recount({ id: hour.auditId, address: hour.lastAddress, after })
          continue
        }
        await nouns.audit.insert({
          id: hour.auditId,
          organizationId: hour.organizationId,
          applicationId: null,
          mode: 'live',
          createdAtMs: hour.firstAtMs,
          actorKind: 'stranger',
          actorId: hour.memberId,
          actorLabel: first.member.email,
          address: hour.lastAddress,
          operationId: first.operationId,
          resource: 'failed sign-in',
          requestId: first.requestId,
          before: null,
          after,
          externalId: null,
        })
      }
      await nouns.failedSignIns.prune(Math.max(...inOrder.map(({ hour }) => hour.hourMs)) - countedMs)
    })
  }
}

function orderOf({ hourMs: at, memberId, site }: FailedSignInHour): string {
  return `${memberId} ${at} ${site}`
}
