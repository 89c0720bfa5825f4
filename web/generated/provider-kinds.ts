/** The kinds of provider. Written by npm run generate from src/domain/accounts/provider-kinds.ts. */
export const kinds = {
  openai: { words: 'OpenAI', place: 'vendor', onClientLeft: 'cut', billsSearchUnits: false, requiredRates: ['input', 'cacheWrite', 'output'] },
  anthropic: { words: 'Anthropic', place: 'vendor', onClientLeft: 'cut', billsSearchUnits: false, requiredRates: ['input', 'cacheWrite', 'cacheWriteLong', 'output'] },
  google: { words: 'Google', place: 'vendor', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  vertex: { words: 'Google Vertex AI', place: 'vendor', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  azure_openai: { words: 'Azure OpenAI', place: 'own_resource', onClientLeft: 'cut', billsSearchUnits: false, requiredRates: ['input', 'cacheWrite', 'output'] },
  bedrock: { words: 'Amazon Bedrock', place: 'own_resource', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  mistral: { words: 'Mistral AI', place: 'vendor', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  groq: { words: 'Groq', place: 'vendor', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  xai: { words: 'xAI', place: 'vendor', onClientLeft: 'cut', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  openrouter: { words: 'OpenRouter', place: 'vendor', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  cohere: { words: 'Cohere', place: 'vendor', onClientLeft: 'drain', billsSearchUnits: true, requiredRates: ['input', 'output'] },
  ollama: { words: 'Ollama', place: 'any_server', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  openai_compatible: { words: 'OpenAI-compatible', place: 'any_server', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
  simulator: { words: 'Simulator', place: 'built_in', onClientLeft: 'drain', billsSearchUnits: false, requiredRates: ['input', 'output'] },
} as const
