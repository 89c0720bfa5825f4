import type { Mode } from '#domain/application-config.ts'
import type { RateRule, RateSlot } from '#money/decision-types.ts'
import type { SliceExchange, SliceGrant } from './give-slices-of-shared-limit.ts'

/** Identifies the limits of an application, of one of its tags or of a team, in one mode. */
export interface SharedScope {
  readonly applicationId: string
  readonly mode: Mode
  /** Null for the limits of the application or of a team. */
  readonly tag: string | null
  /** Absent for the limits of the application or of a tag. */
  readonly team?: SharedTeam
}

export interface SharedTeam {
  readonly id: string
  readonly slug: string
}

export interface RuleExchange extends SliceExchange {
  readonly rule: RateRule
  /**
   * The amount that this process's requests in flight have set aside. Under a limit on requests in flight, the process
   * then has exactly this amount and the newly granted amount, even if earlier exchanges have failed.
   */
  readonly held: bigint
}

/**
 * Gives processes slices of shared limits (domain/limits/give-slices-of-shared-limit.ts). All processes take their
 * slices from one row per application and mode.
 */
export interface SliceStore {
  /**
   * Gives back unspent amounts of earlier slices and takes new slices, for several rules in one transaction.
   * @param nowMs the time by the clock of the mode for which slices are exchanged
   * @returns the granted amounts, in the order of the rules
   */
  exchange(
    scope: SharedScope,
    exchanges: readonly RuleExchange[],
    nowMs: number,
  ): Promise<readonly SliceGrant[]>
}

export interface SharedUses {
  /**
   * For each rule, in order, returns the amounts that processes have taken and that still count under the rule now. The
   * amounts include the part that processes have not spent yet. The amounts are grouped by time slot, or by process if
   * the rule limits requests in flight.
   * @param nowMs the time by the clock of the mode
   */
  of(scope: SharedScope, rules: readonly RateRule[], nowMs: number): Promise<readonly (readonly RateSlot[])[]>
}
