import { isClaude, isEarlyClaude, kindFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { imageFormulas } from '#wire/bound/image-formulas.ts'
import { pageImageTokens } from '#wire/bound/document-bounds.ts'
import type { ImageTokens } from '#wire/media-token-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'

/**
 * Returns how the model counts images (docs/reference/tokens.md "Images"). Claude models and OpenAI's older models
 * count images in the same way at every provider.
 */
export function imageCounterOf(plan: Plan): keyof ImageTokens {
  const { account, target } = plan
  const { kind } = account
  const { model } = target
  if (isClaude(model)) return isEarlyClaude(model) ? 'claude4' : 'anthropic'
  const row = counters.find(
    ({ kinds, models }) => models.test(model) && (kinds === undefined || kinds.includes(kind)),
  )
  if (row !== undefined) return row.counter
  return readsPagesAsGoogle(plan) ? 'google' : kindFacts(kind).images
}

/** Google counts only the image of a PDF page, not its text. */
export function readsPagesAsGoogle({ account: { kind }, target: { model } }: Plan): boolean {
  return kind === 'google' || ((kind === 'vertex' || kind === 'openrouter') && gemini.test(model))
}

/** Excludes the text of the page. */
export function pageImageTokensOf(plan: Plan): number {
  const counter = imageCounterOf(plan)
  return largestPages.has(counter)
    ? imageFormulas[counter]({ size: null, isLowDetail: false }, false)
    : pageImageTokens
}

/** These counters give the image of a PDF page as many tokens as the largest image. */
const largestPages: ReadonlySet<keyof ImageTokens> = new Set([
  'gpt4o',
  'gpt4oMini',
  'openaiMini',
  'openaiNano',
  'claude4',
])

const gemini = /^(?:google\/)?gemini-/i
const google: readonly ProviderKind[] = ['google', 'vertex', 'openrouter']

interface Row {
  readonly models: RegExp
  /** The row applies to accounts of these kinds. All kinds if absent. */
  readonly kinds?: readonly ProviderKind[]
  readonly counter: keyof ImageTokens
}

/** The first matching row applies. */
const counters: readonly Row[] = [
  { models: /gpt-4o-mini/i, counter: 'gpt4oMini' },
  {
    models: /^(?:openai\/)?(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|gpt-5\.1|o1|o3)(?:-\d{4}-\d\d-\d\d)?$/i,
    counter: 'gpt4o',
  },
  { models: /^(?:openai\/)?(?:gpt-(?:4\.1|5)-mini|o4-mini)(?:-\d{4}-\d\d-\d\d)?$/i, counter: 'openaiMini' },
  { models: /^(?:openai\/)?gpt-(?:4\.1|5)-nano(?:-\d{4}-\d\d-\d\d)?$/i, counter: 'openaiNano' },
  { models: /^openai\//i, kinds: ['openrouter'], counter: 'openai' },
  { models: /^(?:google\/)?gemini-[12]\b/i, kinds: google, counter: 'gemini2' },
  { models: /^(?:google\/)?gemini-[3-9]/i, kinds: google, counter: 'gemini3' },
  { models: /pixtral/i, kinds: ['mistral', 'bedrock'], counter: 'pixtral' },
  { models: /./, kinds: ['mistral'], counter: 'mistral' },
  { models: /llama-?4-(?:scout|maverick)/i, kinds: ['groq', 'bedrock'], counter: 'llama4' },
  { models: /grok-/i, kinds: ['xai', 'openai', 'azure_openai', 'openrouter'], counter: 'grok' },
  { models: /^command-/i, kinds: ['cohere'], counter: 'cohere' },
  { models: /nova-(?:\d-)?(?:lite|premier|pro)/i, kinds: ['bedrock'], counter: 'nova' },
]
