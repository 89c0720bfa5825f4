import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { ImageTokens } from '#wire/media-tokens.ts'
import type { Plan } from '#gateway/call/served-name.ts'

/** Returns the way in which the model of a target counts images (docs/reference/tokens.md "Images"). */
export function imageCounterOf({ account: { kind }, target: { model } }: Plan): keyof ImageTokens {
  return models.find(({ names }) => names.test(model))?.counter ?? kindFacts(kind).images
}

/** Models that count alike on every server. */
const models: readonly { readonly names: RegExp; readonly counter: keyof ImageTokens }[] = [
  { names: /claude/i, counter: 'anthropic' },
  { names: /gpt-4o-mini/i, counter: 'gpt4oMini' },
  {
    names: /^(?:openai\/)?(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|gpt-5\.1|o1|o3)(?:-\d{4}-\d\d-\d\d)?$/i,
    counter: 'gpt4o',
  },
]
