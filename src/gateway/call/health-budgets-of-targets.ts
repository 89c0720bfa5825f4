import { StatedCosts } from '#domain/accounts/disputes-of-provider-stated-costs.ts'
import { RetryBudget } from '#routing/retry-budget.ts'
import { TargetHealth } from '#routing/target-health.ts'

/** The state of targets, as observed in the calls of this process. */
export interface CallTargets {
  readonly health: TargetHealth
  readonly budget: RetryBudget
  /** Compares the costs that providers report with the costs that the gateway computes. */
  readonly statedCosts: StatedCosts
}

export function callTargets(): CallTargets {
  return { health: new TargetHealth(), budget: new RetryBudget(), statedCosts: new StatedCosts() }
}
