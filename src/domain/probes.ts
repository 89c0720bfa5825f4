import { costOf } from '#money/cost.ts'
import { missingDimensions, type Price } from '#money/price.ts'
import { totalInput, type Usage } from '#money/usage.ts'
import type { ProviderAccount } from './application-config.ts'
import type { ErrorCode } from './errors.ts'
import { kindFacts } from './provider-kinds.ts'

/** The port that asks a model of an account for as little as it takes. It answers whatever the provider does. */
export type ProbeAccount = (account: ProviderAccount, model: string) => Promise<ProbeAnswer>

export interface ProbeAnswer {
  /** HTTP status; null: there was no answer. */
  readonly status: number | null
  /** From the request to the end of its answer. */
  readonly latencyMs: number
  /** As the provider counts it; null: it reported none. */
  readonly usage: Usage | null
  readonly failure: ProbeFailure | null
}

export interface ProbeFailure {
  /** As of a call of the gateway. */
  readonly code: ErrorCode
  /** What failed, where the provider has no words for it. */
  readonly reason: string
  /** The provider's own words, cut, without the account's credential; null: it said nothing. */
  readonly said: string | null
}

/** A probe that was made, also of an account that is gone: it has cost something. */
export interface ProbeRecord {
  readonly id: string
  readonly organizationId: string
  readonly accountId: string
  readonly model: string
  readonly status: number | null
  readonly latencyMs: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Null: the provider reported no usage, or the model has no price. */
  readonly costMicros: bigint | null
  /** Null: the model answered. */
  readonly errorCode: string | null
  /** The provider's words on the failure; null: it said nothing, or the probe was stored before they were kept. */
  readonly said: string | null
  readonly createdAtMs: number
}

/** A probe as it is recorded. @param price what the account is charged; null: not known */
export function probeRecord(
  { id, account, model, price }: ProbeMade,
  { failure, latencyMs, status, usage }: ProbeAnswer,
  nowMs: number,
): ProbeRecord {
  const { reportedDimensions } = kindFacts(account.kind)
  const isPriced = price !== null && missingDimensions(price, reportedDimensions).length === 0
  return {
    id,
    organizationId: account.organizationId,
    accountId: account.id,
    model,
    status,
    latencyMs,
    inputTokens: usage && totalInput(usage),
    outputTokens: usage && usage.output,
    costMicros: usage && isPriced ? costOf(usage, price).amount : null,
    errorCode: failure && failure.code,
    said: failure && failure.said,
    createdAtMs: nowMs,
  }
}

interface ProbeMade {
  readonly id: string
  readonly account: Pick<ProviderAccount, 'id' | 'kind' | 'organizationId'>
  readonly model: string
  readonly price: Price | null
}

export interface Probes {
  insert(probe: ProbeRecord): Promise<void>
  /** The newest one of each account. */
  newest(organizationId: string): Promise<readonly ProbeRecord[]>
  /** The newest one of the account that failed; null: none did. */
  newestFailed(organizationId: string, accountId: string): Promise<ProbeRecord | null>
  /** What those from then on, and before `toMs`, have cost as far as is known. */
  costMicros(organizationId: string, fromMs: number, toMs: number): Promise<bigint>
}
