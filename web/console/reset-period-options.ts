export const resetPeriods = [
  ['day', 'Daily (UTC)'],
  ['week', 'Weekly (UTC)'],
  ['month', 'Monthly (UTC)'],
  ['total', 'Never'],
] as const
