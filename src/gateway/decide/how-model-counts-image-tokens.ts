import { isClaude, isEarlyClaude, kindFacts } from '#domain/accounts/provider-kinds.ts'
import { claude4ImageTokens } from '#wire/bound/image-bounds.ts'
import { pageImageTokens } from '#wire/bound/document-bounds.ts'
import type { ImageTokens } from '#wire/media-token-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'

/**
 * Returns how the model of a target counts images (docs/reference/tokens.md "Images"). Claude models and OpenAI's older
 * models count images in the same way at every provider.
 */
export function imageCounterOf(plan: Plan): keyof ImageTokens {
  const { account, target } = plan
  const { model } = target
  if (gpt4oMini.test(model)) return 'gpt4oMini'
  if (gpt4o.test(model)) return 'gpt4o'
  if (openaiSmall.test(model)) return 'openaiSmall'
  if (isClaude(model)) return isEarlyClaude(model) ? 'claude4' : 'anthropic'
  if (account.kind === 'mistral') return 'mistral'
  if (servesLlama.has(account.kind) && llama4.test(model)) return 'llama4'
  if (readsPagesAsGoogle(plan)) return gemini2.test(model) ? 'gemini2' : 'google'
  return kindFacts(account.kind).images
}

/** Whether a target counts a page of a PDF like Google: only its image. */
export function readsPagesAsGoogle({ account: { kind }, target: { model } }: Plan): boolean {
  return kind === 'google' || ((kind === 'vertex' || kind === 'openrouter') && gemini.test(model))
}

/** Returns the maximum tokens of the image of a PDF page at a target that also counts the text of the page. */
export function pageImageTokensOf(plan: Plan): number {
  return pageImages[imageCounterOf(plan)] ?? pageImageTokens
}

/** A page counts like the largest image. */
const pageImages: Partial<Record<keyof ImageTokens, number>> = {
  gpt4o: 1_675,
  openaiSmall: 3_779,
  claude4: claude4ImageTokens,
}

const gpt4oMini = /gpt-4o-mini/i
const gpt4o = /^(?:openai\/)?(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|gpt-5\.1|o1|o3)(?:-\d{4}-\d\d-\d\d)?$/i
const openaiSmall = /^(?:openai\/)?(?:gpt-(?:4\.1|5)-(?:mini|nano)|o4-mini)(?:-\d{4}-\d\d-\d\d)?$/i
const gemini = /^(?:google\/)?gemini-/i
const gemini2 = /^(?:google\/)?gemini-[12]\b/i
const llama4 = /llama-?4-(?:scout|maverick)/i
const servesLlama: ReadonlySet<string> = new Set(['groq', 'bedrock'])
