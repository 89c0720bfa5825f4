/** Sentences that break a rule but are allowed. An entry that matches no sentence is an error. */
export interface Allowed {
  /** Matches the sentence as the check prints it. */
  readonly pattern: RegExp
  readonly file: string
  readonly reason: string
}

export const allowed: readonly Allowed[] = [
  {
    pattern:
      /^(?:is told, says|leads to, stands|what is left, what|gone, is there|takes the role X|from the next call on|is refused|whoever, somebody|at once|bounds, is bound by|worth nothing|dear, dearer|beside|left out|whole answer)/,
    file: 'STYLE.md',
    reason: 'The column "avoid" of the table of words.',
  },
  {
    pattern: /^(?:What cannot be suggested|From the next call on; calls|What the environment names)/,
    file: 'STYLE.md',
    reason: 'The column "before" of the table of examples.',
  },
  {
    pattern: /^(?:Don't open with What|"If the key is revoked, requests return 401", not )/,
    file: 'STYLE.md',
    reason: 'Quotes the words that its rule is about.',
  },
  {
    pattern: /^What is a model gateway\?$/,
    file: 'src/cli/server-commands/create-first-application.ts',
    reason: 'The question that the first request asks the model.',
  },
]
