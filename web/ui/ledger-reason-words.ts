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

/** A team member's own text is returned unchanged. */
export function ledgerReasonWords(reason: string): string {
  return reasons[reason] ?? reason
}
