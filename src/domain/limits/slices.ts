import type { Mode } from '#domain/application-config.ts'
import type { RateRule } from '#money/hold.ts'
import type { SliceExchange, SliceGrant } from './slice-exchange.ts'

/** Identifies the limits of an application in one mode, which all its end users share. */
export interface SharedScope {
  readonly applicationId: string
  readonly mode: Mode
}

export interface RuleExchange extends SliceExchange {
  readonly rule: RateRule
}

/**
 * Gives processes slices of shared limits (domain/limits/slice-exchange.ts). All processes take them from one row per
 * application and mode.
 */
export interface SliceStore {
  /**
   * Takes and returns slices of several rules in one transaction.
   * @param nowMs the time by the clock of the mode
   * @returns the granted amounts, in the order of the rules
   */
  exchange(
    scope: SharedScope,
    exchanges: readonly RuleExchange[],
    nowMs: number,
  ): Promise<readonly SliceGrant[]>
}
