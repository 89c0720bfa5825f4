/**
 * The providers in the price file: vendors with a wire format of their own, and the main hosts that use OpenAI's
 * format. `seed` is the provider's name in the package from which the prices are read.
 */
import type { RemoteKind } from '#domain/accounts/provider-kinds.ts'

export interface Host {
  readonly id: string
  readonly name: string
  readonly kind: RemoteKind
  /**
   * The base URLs at which the prices apply, normalized like the addresses of accounts, with the usual one first.
   * Regional addresses are omitted, because they may be more expensive, as OpenAI's address in the EU is.
   */
  readonly baseUrls: readonly [string, ...string[]]
  readonly seed: string
}

export const hosts: readonly Host[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    kind: 'anthropic',
    baseUrls: ['https://api.anthropic.com'],
    seed: 'anthropic',
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    kind: 'openai_compatible',
    baseUrls: ['https://api.deepseek.com/v1', 'https://api.deepseek.com'],
    seed: 'deepseek',
  },
  {
    id: 'fireworks',
    name: 'Fireworks AI',
    kind: 'openai_compatible',
    baseUrls: ['https://api.fireworks.ai/inference/v1'],
    seed: 'fireworks',
  },
  {
    id: 'google',
    name: 'Google Gemini API',
    kind: 'google',
    baseUrls: ['https://generativelanguage.googleapis.com'],
    seed: 'google',
  },
  {
    id: 'groq',
    name: 'Groq',
    kind: 'groq',
    baseUrls: ['https://api.groq.com/openai/v1'],
    seed: 'groq',
  },
  {
    id: 'mistral',
    name: 'Mistral AI',
    kind: 'mistral',
    baseUrls: ['https://api.mistral.ai/v1'],
    seed: 'mistral',
  },
  { id: 'openai', name: 'OpenAI', kind: 'openai', baseUrls: ['https://api.openai.com/v1'], seed: 'openai' },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    kind: 'openrouter',
    baseUrls: ['https://openrouter.ai/api/v1'],
    seed: 'openrouter',
  },
  {
    id: 'together',
    name: 'Together AI',
    kind: 'openai_compatible',
    baseUrls: ['https://api.together.xyz/v1'],
    seed: 'together',
  },
  {
    id: 'xai',
    name: 'xAI',
    kind: 'xai',
    baseUrls: ['https://api.x.ai/v1'],
    seed: 'x-ai',
  },
]
