/** Grace periods of a rotated key, in seconds and in words. */
export const graces = [
  ['0', 'Ends now'],
  ['3600', 'Goes on for an hour'],
  ['86400', 'Goes on for a day'],
] as const
