import { isClaude, kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { ImageTokens } from '#wire/media-tokens.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'

/**
 * Returns how the model of a target counts images (docs/reference/tokens.md "Images"). Claude models and OpenAI's older
 * models count images in the same way at every provider.
 */
export function imageCounterOf({ account: { kind }, target: { model } }: Plan): keyof ImageTokens {
  if (gpt4oMini.test(model)) return 'gpt4oMini'
  return gpt4o.test(model) ? 'gpt4o' : kindFacts(isClaude(model) ? 'anthropic' : kind).images
}

const gpt4oMini = /gpt-4o-mini/i
const gpt4o = /^(?:openai\/)?(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|gpt-5\.1|o1|o3)(?:-\d{4}-\d\d-\d\d)?$/i
