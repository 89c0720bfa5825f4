import { StatedCosts } from '#domain/accounts/stated-costs.ts'
import { RetryBudget } from '#routing/retry-budget.ts'
import { TargetHealth } from '#routing/target-health.ts'

/** State about targets that this process collects from its calls. */
export interface CallTargets {
  readonly health: TargetHealth
  readonly budget: RetryBudget
  /** The costs that providers report, for comparison with our own. */
  readonly statedCosts: StatedCosts
}

export function callTargets(): CallTargets {
  return { health: new TargetHealth(), budget: new RetryBudget(), statedCosts: new StatedCosts() }
}
