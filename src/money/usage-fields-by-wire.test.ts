import { expect, it } from 'vitest'
import { type UsageWire } from './price-dimensions.ts'
import { zeroUsage } from './usage-counts.ts'
import { countsByPath, usageFieldsByWire } from './usage-fields-by-wire.ts'

const usage = {
  ...zeroUsage,
  input: 1000,
  cacheRead: 200,
  cacheWrite: 30,
  cacheWriteLong: 4,
  output: 500,
  reasoning: 60,
  webSearches: 2,
  codeSessions: 0,
  fileSearches: 0,
  cacheTokenHours: 0,
  searchUnits: 0,
  images: 0,
  characters: 0,
  audioSeconds: 0,
}

it('counts are written at the paths of the wire, and a total includes its parts', () => {
  expect(countsByPath(usage, 'chat')).toEqual({
    prompt_tokens: 1234,
    'prompt_tokens_details.cached_tokens': 200,
    'prompt_tokens_details.cache_write_tokens': 34,
    'prompt_tokens_details.audio_tokens': 0,
    completion_tokens: 500,
    'completion_tokens_details.reasoning_tokens': 60,
    'completion_tokens_details.audio_tokens': 0,
  })
})

it('a count that a wire reports in addition to a total is not included in the total', () => {
  expect(countsByPath(usage, 'messages')).toEqual({
    input_tokens: 1000,
    cache_read_input_tokens: 200,
    'cache_creation.ephemeral_5m_input_tokens': 30,
    'cache_creation.ephemeral_1h_input_tokens': 4,
    output_tokens: 500,
    'output_tokens_details.thinking_tokens': 60,
    'server_tool_use.web_search_requests': 2,
  })
  expect(countsByPath(usage, 'generate')).toEqual({
    promptTokenCount: 1234,
    cachedContentTokenCount: 200,
    candidatesTokenCount: 440,
    thoughtsTokenCount: 60,
  })
})

it.each(Object.keys(usageFieldsByWire) as UsageWire[])(
  'the usage object of %s has a count for the input and a count for the output',
  (wire) => {
    expect(usageFieldsByWire[wire].map(({ count }) => count)).toEqual(
      expect.arrayContaining(['input', 'output']),
    )
  },
)
