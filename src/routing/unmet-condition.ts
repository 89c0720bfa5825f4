import type { Condition, RoutedCall } from './route.ts'

/** Returns why a call does not match a branch's condition, as a sentence with the condition and the actual value. Null if it matches. */
export function unmetCondition(when: Condition, call: RoutedCall): string | null {
  const { bundles, features, inputTokensMin, inputTokensMax, mode } = when
  if (mode !== undefined && mode !== call.mode)
    return `it takes ${mode} mode only, and the call is ${call.mode}`
  if (bundles !== undefined && !bundles.includes(call.bundle))
    return `it takes the bundles ${listed(bundles)}, and the call has ${call.bundle}`
  const missing = features?.filter((feature) => !call.features.has(feature)) ?? []
  if (missing.length > 0) return `it takes calls that need ${listed(missing)}, and this one does not`
  if (inputTokensMin !== undefined && call.inputTokens < inputTokensMin)
    return `it takes calls from ${inputTokensMin} input tokens on, and this one has about ${call.inputTokens}`
  if (inputTokensMax !== undefined && call.inputTokens > inputTokensMax)
    return `it takes calls up to ${inputTokensMax} input tokens, and this one has about ${call.inputTokens}`
  return null
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? '(none)' : words.join(', ')
}
