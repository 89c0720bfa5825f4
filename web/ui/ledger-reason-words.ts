/** Reasons that the server writes to the ledger, in words. */
const reasons: Readonly<Record<string, string>> = {
  included: 'included in the plan',
  expired: 'expired',
  rolled_over: 'carried over',
  plan_changed: 'the plan changed',
  used_on_another_plan: 'used on another plan',
  end_user_removed: 'the end user was removed',
  late_usage: 'the usage was reported late',
  on_demand_paid: 'invoice paid',
  on_demand_waived: 'invoice waived',
}

/** Returns the words of a ledger entry's reason. A reason that a team member entered is returned unchanged. */
export function ledgerReasonWords(reason: string): string {
  return reasons[reason] ?? reason
}
