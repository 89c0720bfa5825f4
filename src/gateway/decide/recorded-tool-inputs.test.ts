/** Anthropic adds input for tools. The requests have the form and the length of recorded requests, but other words. */
import { expect, it } from 'vitest'
import { measured } from '#tests/support/measured-recordings.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'

const code = { type: 'code_execution_20260120', name: 'code_execution' }
const search = { type: 'web_search_20250305', name: 'web_search' }
const servers = [{ type: 'url', name: 'wiki', url: 'https://wiki.example/mcp' }]
const compaction = {
  context_management: {
    edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 } }],
  },
}

const text = (bytes: number): string =>
  'Prefer exact arithmetic over estimation when you analyze tables. '
    .repeat(Math.ceil(bytes / 65))
    .slice(0, bytes)

const asked = (words: string, fields: object): object => ({
  max_tokens: 4_096,
  messages: [{ role: 'user', content: words }],
  ...fields,
})

it.each<[what: string, model: string, body: object, isStream: boolean, usage: object]>([
  [
    'one use of code',
    'claude-sonnet-4-6',
    asked(text(160), { tools: [code] }),
    false,
    { input_tokens: 4_723 },
  ],
  [
    'four uses of code',
    'claude-sonnet-4-6',
    asked(text(320), { tools: [code] }),
    false,
    { input_tokens: 10_490 },
  ],
  [
    'three uses of code',
    'claude-sonnet-4-6',
    asked(text(320), { tools: [code] }),
    true,
    { input_tokens: 7_621 },
  ],
  [
    'two uses of code with a long prompt and a newer tokenizer',
    'claude-sonnet-5',
    asked(text(100), { system: text(10_000), tools: [code] }),
    false,
    { input_tokens: 16, cache_creation_input_tokens: 7_049, cache_read_input_tokens: 13_637 },
  ],
  [
    'one use of an MCP server',
    'claude-sonnet-4-0',
    asked(text(80), { mcp_servers: servers }),
    false,
    { input_tokens: 2_674 },
  ],
  [
    'one use of an MCP server',
    'claude-sonnet-4-5',
    asked(text(80), { mcp_servers: servers }),
    true,
    { input_tokens: 3_042 },
  ],
  [
    'one use of an MCP server after another',
    'claude-sonnet-4-0',
    asked(text(5_800), { mcp_servers: servers }),
    false,
    { input_tokens: 5_262 },
  ],
  [
    'four searches in a conversation of 80,000 tokens',
    'claude-sonnet-4-5',
    asked(text(236_000), { tools: [search] }),
    true,
    { input_tokens: 482_529 },
  ],
  [
    'a compaction',
    'claude-sonnet-4-6',
    asked(text(225_000), compaction),
    false,
    {
      input_tokens: 220,
      iterations: [
        { type: 'compaction', input_tokens: 55_196, output_tokens: 125 },
        { type: 'message', input_tokens: 220, output_tokens: 8 },
      ],
    },
  ],
  [
    'a document by its address',
    'claude-sonnet-4-5',
    asked('', {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'url', url: 'https://x.example/sample.pdf' } }],
        },
      ],
    }),
    false,
    { input_tokens: 2_682 },
  ],
])('the hold covers the input that was recorded for %s (model %s)', (_, model, body, isStream, usage) => {
  const requestBody = { model, ...body, stream: isStream }
  const message = { type: 'message', model, content: [{ type: 'text', text: 'x' }] }
  const whole = { ...message, usage: { output_tokens: 8, ...usage } }
  const events = [
    {
      type: 'message_start',
      message: { ...message, content: [], usage: { input_tokens: 9, output_tokens: 1 } },
    },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: whole.usage },
    { type: 'message_stop' },
  ]
  const answer = isStream
    ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    : JSON.stringify(whole)
  const call = measured({
    name: '',
    wire: 'messages',
    isStream,
    requestBody,
    status: 200,
    bytes: byteTextOf(answer),
  })
  if (call === null) throw new Error('it has a usage')
  expect(call.inputTokens).toBeGreaterThan(2_000)
  expect(call.boundTokens).toBeGreaterThanOrEqual(call.inputTokens)
})
