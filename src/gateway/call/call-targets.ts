import { StatedCosts } from '#domain/accounts/stated-costs.ts'
import { RetryBudget } from '#routing/retry-budget.ts'
import { TargetHealth } from '#routing/target-health.ts'

/** The state of targets, as this process has observed it in its calls. */
export interface CallTargets {
  readonly health: TargetHealth
  readonly budget: RetryBudget
  /** The costs that providers report, compared with the costs that the gateway computes. */
  readonly statedCosts: StatedCosts
}

export function callTargets(): CallTargets {
  return { health: new TargetHealth(), budget: new RetryBudget(), statedCosts: new StatedCosts() }
}
