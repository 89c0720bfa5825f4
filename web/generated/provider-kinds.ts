/** The kinds of provider. Written by npm run generate from src/domain/accounts/provider-kinds.ts. */
export const kinds = {
  openai: { words: 'OpenAI', place: 'vendor', onClientLeft: 'cut', requiredRates: ['input', 'cacheWrite', 'output'] },
  anthropic: { words: 'Anthropic', place: 'vendor', onClientLeft: 'cut', requiredRates: ['input', 'cacheWrite', 'cacheWriteLong', 'output'] },
  google: { words: 'Google', place: 'vendor', onClientLeft: 'drain', requiredRates: ['input', 'output'] },
  openai_compatible: { words: 'OpenAI-compatible', place: 'any_server', onClientLeft: 'drain', requiredRates: ['input', 'output'] },
  simulator: { words: 'Simulator', place: 'built_in', onClientLeft: 'drain', requiredRates: ['input', 'output'] },
} as const
