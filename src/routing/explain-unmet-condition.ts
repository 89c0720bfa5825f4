import type { Condition, RoutedCall } from './route-tree-types.ts'

/** Returns a sentence with the condition and the actual value. Null if the call meets the condition. */
export function unmetCondition(when: Condition, call: RoutedCall): string | null {
  const { bundles, features, inputTokensMin, inputTokensMax, mode } = when
  if (mode !== undefined && mode !== call.mode)
    return `it accepts only ${mode} mode, and the request is in ${call.mode} mode`
  if (bundles !== undefined && !bundles.includes(call.bundle))
    return `it accepts the bundles ${listed(bundles)}, and the end user has ${call.bundle}`
  const missing = features?.filter((feature) => !call.features.has(feature)) ?? []
  if (missing.length > 0) return `it accepts requests that need ${listed(missing)}, and this request does not`
  if (inputTokensMin !== undefined && call.inputTokens < inputTokensMin)
    return `it accepts requests of at least ${inputTokensMin} input tokens, and this request has about ${call.inputTokens}`
  if (inputTokensMax !== undefined && call.inputTokens > inputTokensMax)
    return `it accepts requests of at most ${inputTokensMax} input tokens, and this request has about ${call.inputTokens}`
  return null
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? '(none)' : words.join(', ')
}
