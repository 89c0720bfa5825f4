import { hashOf } from '#wire/text/hash-of-id.ts'
import type { Capability } from './capability-type.ts'

export const accountCapabilities: readonly Capability[] = [
  {
    name: 'serviceTier',
    what: 'the service tier, because other vendors have other tiers and prices',
    field: { messages: 'service_tier', generate: 'serviceTier', converse: 'serviceTier' },
    treatment: 'lost',
    isIn: ({ serviceTier }, _to, from) => serviceTier !== null && !isOpenai(from),
    without: (request) => ({ ...request, serviceTier: null }),
  },
  {
    name: 'serviceTier.openai',
    what: 'the service tier of OpenAI',
    field: { chat: 'service_tier', responses: 'service_tier' },
    treatment: { compatible: 'lost', messages: 'lost', generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ serviceTier }) => serviceTier !== null,
    without: (request) => ({ ...request, serviceTier: null }),
  },
  {
    name: 'metadata',
    what: 'metadata',
    field: {
      chat: 'metadata',
      messages: 'metadata',
      generate: 'labels',
      responses: 'metadata',
      converse: 'requestMetadata',
    },
    treatment: { compatible: 'lost', messages: 'lost', generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ metadata }) => metadata !== null,
    without: (request) => ({ ...request, metadata: null }),
  },
  {
    name: 'userId',
    what: 'the user ID for abuse reports',
    field: { chat: 'safety_identifier', messages: 'metadata.user_id', responses: 'safety_identifier' },
    treatment: { generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ userId }) => userId !== null,
    without: (request) => ({ ...request, userId: null }),
  },
  {
    name: 'userId.long',
    what: 'a user ID of more than 64 characters, sent as its hash',
    field: { chat: 'safety_identifier', messages: 'metadata.user_id', responses: 'safety_identifier' },
    treatment: { chat: 'emulated', responses: 'emulated' },
    isIn: ({ userId }) => userId !== null && userId.length > 64,
    without: (request) => ({
      ...request,
      userId: request.userId === null ? null : `user_${hashOf(request.userId)}`,
    }),
  },
  {
    name: 'cacheKey',
    what: 'the cache key that groups prompts',
    field: { chat: 'prompt_cache_key', responses: 'prompt_cache_key' },
    treatment: { compatible: 'lost', messages: 'lost', generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ cacheKey }) => cacheKey !== null,
    without: (request) => ({ ...request, cacheKey: null }),
  },
]

function isOpenai(wire: string): boolean {
  return wire === 'chat' || wire === 'responses'
}
