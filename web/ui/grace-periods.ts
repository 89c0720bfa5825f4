/** Grace periods of the old key after a rotation, in seconds and in words. */
export const gracePeriods = [
  ['0', 'Stops working immediately'],
  ['3600', 'Works for one more hour'],
  ['86400', 'Works for one more day'],
] as const
