import { costOf } from '#money/cost.ts'
import { missingDimensions, type Price } from '#money/price.ts'
import { totalInput, type Usage } from '#money/usage-counts.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { ErrorCode } from '#domain/errors.ts'
import { requiredRates } from '#domain/prices/price-dimensions-required-by-kind.ts'

/**
 * The port that sends a minimal request to a model of an account. The probe always returns a result, even if the
 * provider fails.
 */
export type ProbeAccount = (account: ProviderAccount, model: string) => Promise<ProbeAnswer>

export interface ProbeAnswer {
  /** Null if no response arrived. */
  readonly status: number | null
  /** Time from the request to the end of the response. */
  readonly latencyMs: number
  readonly usage: Usage | null
  readonly failure: ProbeFailure | null
}

export interface ProbeFailure {
  /** Requests to the gateway return the same codes. */
  readonly code: ErrorCode
  /** The cause of the failure, if the provider's response does not describe the cause. */
  readonly reason: string
  /** The provider's own text about the failure, shortened, and with the account's credential removed. */
  readonly said: string | null
}

/** The record is kept even if the account is deleted, because the probe has cost money. */
export interface ProbeRecord {
  readonly id: string
  readonly organizationId: string
  readonly accountId: string
  readonly model: string
  readonly status: number | null
  readonly latencyMs: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Null if the provider reported no usage, or if the model has no price. */
  readonly costMicros: bigint | null
  readonly errorCode: string | null
  /** Null if the provider sent no text, or if the probe was stored before this field existed. */
  readonly said: string | null
  readonly createdAtMs: number
}

/** Returns the record of a probe with its response. @param price the account's price; null if unknown */
export function probeRecord(
  { id, account, model, price }: ProbeMade,
  { failure, latencyMs, status, usage }: ProbeAnswer,
  nowMs: number,
): ProbeRecord {
  const isPriced = price !== null && missingDimensions(price, requiredRates(account.kind, model)).length === 0
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
  newest(organizationId: string): Promise<readonly ProbeRecord[]>
  newestFailed(organizationId: string, accountId: string): Promise<ProbeRecord | null>
  /** Returns the total known cost of the probes from `fromMs` (inclusive) to `toMs` (exclusive). */
  costMicros(organizationId: string, fromMs: number, toMs: number): Promise<bigint>
}
