/** When a session ends, its row is deleted. */
import { dayMs } from '#money/periods-and-windows.ts'
import type { Page, Rows } from '#domain/list-page.ts'

export interface MemberSession {
  readonly id: string
  readonly organizationId: string
  readonly memberId: string
  /** The IP address of the sign-in. */
  readonly address: string
  readonly userAgent: string
  readonly activeApplicationId: string | null
  readonly createdAtMs: number
  /** When the session was last used, precise to ten minutes. */
  readonly lastUsedAtMs: number
}

/** A session expires after 30 days, or after 7 days without use. */
export const sessionMs = 30 * dayMs
const idleMs = 7 * dayMs

export function sessionExpiresAtMs({ createdAtMs, lastUsedAtMs }: MemberSession): number {
  return Math.min(createdAtMs + sessionMs, lastUsedAtMs + idleMs)
}

export interface MemberSessions {
  insert(session: MemberSession, hash: string): Promise<void>
  /** Returns the session even if it has expired. */
  byHash(hash: string): Promise<MemberSession | null>
  byId(organizationId: string, id: string): Promise<MemberSession | null>
  /** @param memberId null means the whole team */
  list(
    organizationId: string,
    memberId: string | null,
    nowMs: number,
    page: Page,
  ): Promise<Rows<MemberSession>>
  remove(id: string): Promise<void>
  removeByHash(hash: string): Promise<void>
  /** @param exceptId ID of a session to keep */
  removeOfMember(memberId: string, exceptId?: string): Promise<void>
  touch(id: string, atMs: number): Promise<void>
  setActiveApplication(id: string, applicationId: string): Promise<void>
  /** Returns the IP addresses of the newest sessions, each with its organization. */
  addresses(limit: number): Promise<readonly Pick<MemberSession, 'address' | 'organizationId'>[]>
  prune(nowMs: number): Promise<void>
}

/** Sessions that were created or last used before these times have expired. */
export function expiryLimits(nowMs: number): { readonly createdAtMs: number; readonly lastUsedAtMs: number } {
  return { createdAtMs: nowMs - sessionMs, lastUsedAtMs: nowMs - idleMs }
}
