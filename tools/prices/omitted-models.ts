import type { ModelInfo } from '@pydantic/genai-prices'
import type { PriceJson } from '#money/price.ts'
import type { Host } from './listed-providers.ts'

export function reasonToLeaveOut(host: Host, model: ModelInfo, id: string, price: PriceJson): string | null {
  return rules.find((rule) => rule.isLeftOut({ host, model, id, price }))?.reason ?? null
}

interface Candidate {
  readonly host: Host
  readonly model: ModelInfo
  readonly id: string
  readonly price: PriceJson
}

const rules: readonly { readonly reason: string; readonly isLeftOut: (candidate: Candidate) => boolean }[] = [
  {
    reason:
      'is neither for conversations nor for embeddings: speech, live audio, images and completions have other APIs',
    isLeftOut: ({ id }) =>
      /whisper|transcribe|moderation|realtime|native-audio|computer-use|gpt-image|gpt-5-image|-ocr-|(^|-)(tts|live|instruct-0914)(-|$)|^gpt-3\.5-turbo-instruct|^(text-)?(ada|babbage|curie|davinci)/i.test(
        id,
      ),
  },
  {
    reason: 'is the beginning of ids and not one',
    isLeftOut: ({ id }) => id.endsWith('-'),
  },
  {
    reason: 'bills searches that its price does not name',
    isLeftOut: ({ id }) => /search-preview|deep-research/.test(id),
  },
  {
    reason: 'takes audio, and its price names none',
    isLeftOut: ({ id, price }) => /audio/.test(id) && price.audioInput === undefined,
  },
  {
    // Matches Claude models at Vertex AI, and open models that are free of charge or not served there.
    reason: 'is not a Gemini model: not at this address, or without a paid tier',
    isLeftOut: ({ host, id }) => host.id === 'google' && !id.startsWith('gemini-'),
  },
  {
    reason: 'is an old name: an id of OpenRouter has a vendor before its slash',
    isLeftOut: ({ host, id }) => host.id === 'openrouter' && !id.includes('/'),
  },
  {
    reason: 'is priced after another source than its provider, says the package',
    isLeftOut: ({ host, model }) =>
      host.id !== 'openrouter' &&
      /open ?router|can't find|not sure the model still exists/i.test(model.price_comments ?? ''),
  },
  {
    reason: 'costs nothing for now: what a free offer costs when it ends is not known',
    isLeftOut: ({ price }) => price.input === '0' && price.output === '0',
  },
]
