import type { Role } from './team-roles.ts'
import type { Token } from './token-record.ts'

export interface Credentials {
  /** Returns the hashes that belong to a valid credential. @param hashes SHA-256 of each whole secret; at least one */
  validAmong(hashes: readonly string[], nowMs: number): Promise<ReadonlySet<string>>
}

export interface OutrankingToken {
  readonly token: Token
  readonly email: string
  /** Null if the member was removed. */
  readonly memberRole: Role | null
}
