/** The number of seconds, and the text. */
export const gracePeriods = [
  ['0', 'Stops working immediately'],
  ['3600', 'Works for one more hour'],
  ['86400', 'Works for one more day'],
] as const
