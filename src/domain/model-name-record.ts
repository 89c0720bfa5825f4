import type { AliasCeilings } from './application-config.ts'

/** A model alias of an application as it is stored. ApplicationConfig contains the resolved form. */
export interface AliasRecord {
  readonly applicationId: string
  readonly name: string
  readonly sources: readonly AliasRecordSource[]
  readonly ceilings: AliasCeilings
  readonly isDisabled: boolean
  readonly createdAtMs: number
}

export interface AliasRecordSource {
  readonly accountId: string
  readonly model: string
}
